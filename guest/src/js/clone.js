// structuredClone, as in the HTML Standard, for the types of QuickJS.
() => {
  const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const refuse = (value) => {
    const what = typeof value === "symbol" ? String(value) : typeof value === "function" ? `function ${value.name}` : Object.prototype.toString.call(value);
    return Object.assign(new Error(`${what} could not be cloned`), { name: "DataCloneError", code: 25 });
  };

  function clone(value, seen) {
    if (typeof value === "symbol" || typeof value === "function") throw refuse(value);
    if (value === null || typeof value !== "object") return value;
    if (seen.has(value)) return seen.get(value);
    const keep = (copy) => (seen.set(value, copy), copy);
    for (const Wrapper of [String, Number, Boolean, BigInt]) if (value instanceof Wrapper) return keep(Object(value.valueOf()));
    if (value instanceof Date) return keep(new Date(Date.prototype.getTime.call(value)));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (value instanceof ArrayBuffer) return keep(value.slice(0));
    if (value instanceof DataView) return keep(new DataView(clone(value.buffer, seen), value.byteOffset, value.byteLength));
    if (ArrayBuffer.isView(value)) return keep(new value.constructor(clone(value.buffer, seen), value.byteOffset, value.length));
    if (value instanceof Map) {
      const copy = keep(new Map());
      for (const [key, item] of [...value]) copy.set(clone(key, seen), clone(item, seen));
      return copy;
    }
    if (value instanceof Set) {
      const copy = keep(new Set());
      for (const item of [...value]) copy.add(clone(item, seen));
      return copy;
    }
    if (value instanceof Error) return error(value, keep, seen);
    if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) throw refuse(value);
    const copy = keep(Array.isArray(value) ? new Array(value.length) : {});
    for (const key of Object.keys(value)) copy[key] = clone(value[key], seen);
    return copy;
  }

  function error(value, keep, seen) {
    const Class = Object.hasOwn(errors, value.name) ? errors[value.name] : Error;
    const copy = keep(Object.create(Class.prototype));
    const define = (name, item) => Object.defineProperty(copy, name, { value: item, writable: true, configurable: true });
    define("message", `${value.message}`);
    define("stack", `${value.stack}`);
    if (Object.hasOwn(value, "cause")) define("cause", clone(value.cause, seen));
    return copy;
  }

  return {
    structuredClone(value) {
      if (arguments.length === 0) throw new TypeError("structuredClone takes a value");
      return clone(value, new Map());
    },
  };
}
