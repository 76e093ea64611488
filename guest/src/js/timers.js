// Timers and microtasks.
(native, global) => {
  const resolved = Promise.resolve();
  const then = Promise.prototype.then;

  function callable(callback, name) {
    if (typeof callback !== "function") throw new TypeError(`${name} takes a function, not ${callback === null ? "null" : typeof callback}`);
    return callback;
  }

  const timer = (name, repeat) => ({
    [name](callback, delay = 0, ...values) {
      callable(callback, name);
      return native.setTimer(values.length ? () => callback(...values) : () => callback(), Number(delay), repeat);
    },
  })[name];
  const clear = (name) => ({
    [name](id) {
      if (typeof id === "number" && id > 0) native.clearTimer(id);
    },
  })[name];

  return {
    setTimeout: timer("setTimeout", false),
    setInterval: timer("setInterval", true),
    clearTimeout: clear("clearTimeout"),
    clearInterval: clear("clearInterval"),
    queueMicrotask(callback) {
      callable(callback, "queueMicrotask");
      then.call(resolved, () => void callback());
    },
  };
}
