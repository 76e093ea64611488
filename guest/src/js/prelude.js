// Installs the globals. `native` contains the functions in Rust; `parts` are the other files of this folder.
(native, g, parts) => {
  const { DOMException } = globalThis;
  const { freeze, isFrozen, defineProperty, getOwnPropertyNames } = Object;

  const define = (name, value) => defineProperty(globalThis, name, { value, writable: true, configurable: true });

  delete globalThis.Javy;
  // There is one thread, so memory has nothing to be shared with.
  delete globalThis.SharedArrayBuffer;
  delete globalThis.Atomics;
  defineProperty(Math.random, "name", { value: "random", configurable: true });
  const inspect = parts.inspect;
  define("console", parts.console(native, inspect));
  define("crypto", {
    getRandomValues(array) {
      if (!ArrayBuffer.isView(array) || array instanceof DataView || array instanceof Float32Array || array instanceof Float64Array) {
        throw new DOMException("getRandomValues takes a typed array of integers", "TypeMismatchError");
      }
      if (array.byteLength > 65536) {
        throw new DOMException(`getRandomValues takes at most 65536 bytes, not ${array.byteLength}`, "QuotaExceededError");
      }
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(new Uint8Array(native.random(array.byteLength)));
      return array;
    },
    randomUUID() {
      const bytes = new Uint8Array(native.random(16));
      bytes[6] = (bytes[6] & 15) | 64;
      bytes[8] = (bytes[8] & 63) | 128;
      const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    },
  });
  define("performance", { now: () => native.now() });
  for (const part of [parts.timers, parts.encoding, parts.url, parts.clone]) {
    for (const [name, value] of Object.entries(part(native))) define(name, value);
  }

  const freezeDeeply = (value) => {
    // A class and its prototype refer to each other.
    if (value === null || (typeof value !== "object" && typeof value !== "function") || isFrozen(value)) return;
    freeze(value);
    for (const name of getOwnPropertyNames(value)) freezeDeeply(value[name]);
  };
  // `g` itself is frozen when a run starts, because the host may add namespaces.
  for (const name of getOwnPropertyNames(g)) freezeDeeply(g[name]);
  inspect.showText(Object.values(g.documentdb).filter((member) => member.prototype !== undefined));
  // Like any other global, a script may replace it for itself; nothing reads it once the script has started.
  defineProperty(globalThis, "g", { value: g, writable: true, enumerable: true, configurable: true });

  const resolve = Promise.resolve.bind(Promise);
  return { inspect, resolve };
}
