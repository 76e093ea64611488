// Built-ins that are poisoned before g is called.

//# every method of Array.prototype is poisoned
// stdout: [2,1]
export function main() {
  for (const name of Object.getOwnPropertyNames(Array.prototype)) {
    if (typeof Array.prototype[name] === "function" && name !== "constructor") Array.prototype[name] = () => { throw new Error("poison"); };
  }
  Array.prototype[Symbol.iterator] = () => { throw new Error("poison"); };
  g.store.put("c", "k", [1, 2]);
  g.queue.enqueue("q", [1]);
  g.search.index({ _collection: "c", _key: "k", a: ["x"] });
  return { 0: g.store.get("c", "k").data.length, 1: g.search.query("x").length, length: 2, toJSON() { const list = []; list[0] = this[0]; list[1] = this[1]; return list; } };
}

//# setters on the indices of Array.prototype see nothing but the script's own values
// stdout: [0,3]
export function main() {
  let caught = 0;
  const given = [1, 2, 3];
  for (let i = 0; i < 8; i++) Object.defineProperty(Array.prototype, i, { set(value) { if (value !== given) caught++; }, configurable: true });
  g.store.put("c", "k", given);
  const found = g.store.get("c", "k").data;
  g.store.list("c");
  g.store.collections();
  for (let i = 0; i < 8; i++) delete Array.prototype[i];
  return [caught, found.length];
}

//# setters on Object.prototype catch no field of a document, an option or an error
// stdout: 0
export function main() {
  let caught = 0;
  for (const name of ["key", "data", "createdAt", "code", "message", "details", "namespace", "method", "limit", "offset", "tag", "val", "done"]) {
    Object.defineProperty(Object.prototype, name, { set() { caught++; }, get() { return undefined; }, configurable: true });
  }
  g.store.put("c", "k", 1);
  g.store.get("c", "k");
  g.store.list("c");
  try { g.store.put("", "k", 1); } catch {}
  try { g.queue.commit(5); } catch {}
  return caught;
}

//# options that are inherited from a poisoned Object.prototype do not count
// stdout: 3
export function main() {
  for (let i = 0; i < 3; i++) g.store.put("c", `k${i}`, i);
  Object.prototype.limit = 1;
  Object.prototype.offset = 2;
  const count = g.store.list("c", {}).length;
  delete Object.prototype.limit;
  delete Object.prototype.offset;
  return count;
}

//# Object.prototype.toJSON that throws is the script's own error
// stdout: true
export function main() {
  Object.prototype.toJSON = () => { throw new Error("poison"); };
  let message;
  try { g.store.put("c", "k", { a: 1 }); } catch (error) { message = error.message; }
  delete Object.prototype.toJSON;
  return message === undefined || message === "poison";
}

//# JSON.stringify and JSON.parse are replaced
// stdout: {"a":[1]}
export function main() {
  JSON.stringify = () => '{"forged":true}';
  JSON.parse = () => "forged";
  g.store.put("c", "k", { a: [1] });
  return g.store.get("c", "k").data;
}

//# Number.isInteger and its like are replaced to let bad options pass
// stdout: true
export function main() {
  Number.isInteger = Number.isSafeInteger = Number.isFinite = globalThis.isFinite = Array.isArray = () => true;
  Number.isNaN = globalThis.isNaN = () => false;
  Math.trunc = Math.floor = Math.round = (value) => value;
  return [1.5, -1, NaN, "5", 2 ** 40].every((limit) => { try { g.store.list("c", { limit }); return false; } catch (error) { return error.code === "INVALID_ARGUMENT"; } });
}

//# Promise and its prototype are poisoned
// stdout: null
export async function main() {
  Promise.prototype.then = () => { throw new Error("poison"); };
  Promise.prototype.catch = Promise.prototype.finally = Promise.prototype.then;
  Promise.resolve = Promise.reject = Promise.all = Promise.race = () => { throw new Error("poison"); };
  globalThis.Promise = class { constructor() { throw new Error("poison"); } };
  return await g.queue.waitForItem("q", { timeoutMs: 0 });
}

//# the species and the constructor of promises are hostile
// exit: 0|1
export async function main() {
  Object.defineProperty(Promise, Symbol.species, { get() { throw new Error("poison"); } });
  Object.defineProperty(Promise.prototype, "constructor", { get() { throw new Error("poison"); } });
  try { return await g.queue.waitForItem("q", { timeoutMs: 0 }); } catch (error) { if (error.message !== "poison") throw error; return null; }
}

//# then on Object.prototype makes every object a thenable that never settles
// exit: 1
// stderr: STALLED
export function main() {
  Object.prototype.then = () => {};
  return { a: 1 };
}

//# Function.prototype.call, apply and bind are replaced to catch the host's functions
// stdout: []
export function main() {
  const caught = [];
  const spy = (name) => function (...given) { caught[caught.length] = name + typeof this; return given; };
  Function.prototype.call = spy("call");
  Function.prototype.apply = spy("apply");
  Function.prototype.bind = spy("bind");
  Function.prototype[Symbol.hasInstance] && 0;
  Reflect.apply = Reflect.construct = Reflect.ownKeys = spy("reflect");
  g.store.put("c", "k", { a: [1, new Date(0)] });
  g.store.get("c", "k");
  try { g.store.list("c", { limit: -1 }); } catch {}
  return caught;
}

//# Error.prepareStackTrace and stackTraceLimit are hostile when g throws
// exit: 1
export function main() {
  Error.prepareStackTrace = () => { for (;;) g.store.put("", "", 1); };
  Object.defineProperty(Error, "stackTraceLimit", { get() { throw new Error("poison"); } });
  g.store.put("", "k", 1);
}

//# call sites of a stack give away no function and no receiver
// stdout: true
export function main() {
  let given;
  Error.prepareStackTrace = (_, sites) => { given = sites; return "x"; };
  try { g.store.put("", "k", 1); } catch (error) { error.stack; }
  Error.prepareStackTrace = undefined;
  return !Array.isArray(given) || given.every((site) => [undefined, main].includes(site.getFunction?.()) && site.getThis?.() === undefined);
}

//# the classes of errors are replaced by classes that throw
// stdout: true
export function main() {
  const { TypeError: real, RangeError: range } = globalThis;
  for (const name of ["Error", "TypeError", "RangeError", "SyntaxError", "AggregateError", "GError"]) {
    try { globalThis[name] = class { constructor() { throw "poison"; } }; } catch {}
  }
  try { g.store.put("", "k", 1); return false; } catch (error) { if (!(error instanceof range)) return false; }
  try { g.store.put(1, "k", 1); return false; } catch (error) { return error instanceof real; }
}

//# the class of the host's errors is turned against it
// exit: 1
// stderr: NOT_FOUND
export function main() {
  try { new GError("FORGED"); } catch (error) { if (!(error instanceof TypeError)) throw error; }
  try { Object.defineProperty(GError.prototype, "code", { get() { for (;;); } }); } catch {}
  try { Object.setPrototypeOf(GError, Array); } catch {}
  g.queue.commit(9);
}

//# regular expressions and text methods are poisoned
// exit: 0|1
export function main() {
  const poison = () => { throw new Error("poison"); };
  for (const prototype of [String.prototype, RegExp.prototype, Number.prototype, Date.prototype, Map.prototype, Set.prototype]) {
    for (const name of Reflect.ownKeys(prototype)) {
      const { value, configurable } = Object.getOwnPropertyDescriptor(prototype, name);
      if (typeof value === "function" && configurable && name !== "constructor") Object.defineProperty(prototype, name, { value: poison });
    }
  }
  g.store.put("c", "k", { a: "text", n: 5 });
  let refused = false;
  try { g.store.put("c", "k".repeat, 1); } catch (error) { refused = error.name === "TypeError"; }
  console.log("%s", { a: 1 }, [1]);
  return g.store.get("c", "k").data.a === "text" && refused;
}

//# Date.prototype.toISOString is forged when a date is stored
// stdout: true
export function main() {
  Date.prototype.toISOString = () => "forged\x1b[31m";
  try { g.store.put("c", "k", { at: new Date(0) }); } catch (error) { return error instanceof TypeError; }
  return typeof g.store.get("c", "k").data.at === "string";
}

//# frozen prototypes stop nothing
// stdout: [1,1,null]
export async function main() {
  for (const frozen of [Object, Array, Function, Promise, Error, TypeError, String, Number, RegExp, Map, Set, Date]) { Object.freeze(frozen); Object.freeze(frozen.prototype); }
  Object.freeze(globalThis);
  g.store.put("c", "k", 1);
  let caught = 0;
  try { g.store.put("", "k", 1); } catch { caught = 1; }
  console.log({ a: [1, new Map([[1, 2]])] }, new Error("x"));
  return [g.store.count("c"), caught, await g.queue.waitForItem("q", { timeoutMs: 1 })];
}

//# every global is deleted
// stdout: 1
export function main() {
  const { store } = g;
  for (const name of Object.getOwnPropertyNames(globalThis)) { try { delete globalThis[name]; } catch {} }
  store.put("c", "k", { a: [1] });
  return store.get("c", "k").data.a[0];
}

//# the prototype of the global object is a proxy
// stdout: 1
export function main() {
  try { Object.setPrototypeOf(globalThis, new Proxy({}, { get() { throw new Error("poison"); }, has: () => true })); } catch {}
  g.store.put("c", "k", 1);
  return g.store.get("c", "k").data;
}

//# iterators of arrays, maps and generators are poisoned
// exit: 0|1
export async function main() {
  const poison = () => { throw new Error("poison"); };
  Object.getPrototypeOf([][Symbol.iterator]()).next = poison;
  Object.getPrototypeOf(new Map().entries()).next = poison;
  Object.getPrototypeOf(new Set().values()).next = poison;
  Object.getPrototypeOf(function* () {}).prototype.next = poison;
  Object.getPrototypeOf(async function* () {}).prototype.next = poison;
  g.store.put("c", "k", [1]);
  console.log([1], new Map([]), { a: 1 });
  return g.store.list("c").length === 1 && await g.queue.waitForItem("q", { timeoutMs: 0 }) === null;
}

//# timers survive a poisoned Map, Array and Function
// stdout: "fired"
export async function main() {
  Map.prototype.get = Map.prototype.set = Map.prototype.delete = Array.prototype.push = Array.prototype.shift = () => { throw new Error("poison"); };
  Function.prototype.call = Function.prototype.apply = () => { throw new Error("poison"); };
  return await new Promise((resolve) => setTimeout(resolve, 5, "fired"));
}

//# lengths of typed arrays and buffers lie to the decoder and the generator of random numbers
// exit: 0|3
export function main() {
  const typed = Object.getPrototypeOf(Uint8Array.prototype);
  for (const name of ["length", "byteLength", "byteOffset", "buffer"]) Object.defineProperty(typed, name, { get: () => 1 << 30 });
  Object.defineProperty(ArrayBuffer.prototype, "byteLength", { get: () => 1 << 30 });
  for (const call of [() => new TextDecoder().decode(new Uint8Array(4)), () => crypto.getRandomValues(new Uint8Array(4)), () => new TextEncoder().encodeInto("abcdef", new Uint8Array(2)), () => structuredClone(new Uint8Array(4)), () => console.log(new Uint8Array(4))]) {
    try { call(); } catch (error) { if (!(error instanceof Error)) return false; }
  }
  return true;
}

//# Symbol.toStringTag, constructor and name lie to the console
// exit: 0|1
export function main() {
  const liar = { get [Symbol.toStringTag]() { throw 1; }, get constructor() { throw 2; } };
  const named = { constructor: { get name() { throw 3; } } };
  const list = Object.setPrototypeOf([1, 2], null);
  const error = Object.assign(new Error("x"), { name: { toString() { throw 4; } }, message: Symbol("x"), stack: 5, cause: liar });
  console.log(liar, named, list, error, new Proxy(class {}, { get() { throw 5; } }), Object.create(null), Object.create(Array.prototype));
  console.table([liar, named, list]);
}

//# what a run left in the globals, the prototypes and the workspace does not reach the next but as data
// runs: 2
export function main() {
  if (globalThis.left || Object.prototype.left || g.left || g.store.left || Array.prototype.left) throw new Error("it is still there");
  if (GError.left || Error.left || console.left || JSON.left) throw new Error("it is still there");
  for (const target of [globalThis, Object.prototype, Array.prototype, g, g.store, GError, Error, console, JSON]) { try { target.left = 1; } catch {} }
  g.store.put("__proto__", "left", { left: 1 });
}

//# queues and documents that a stopped run was writing are whole for the next
// runs: 2
// exit: 3
// flags: --timeout 1s
export function main() {
  for (const { data } of g.store.list("c", { limit: 1000 })) if (data.a.length !== data.length) throw new Error("torn");
  for (let i = 0; ; i++) g.store.put("c", `k${i % 50}`, { a: "x".repeat(i % 5000), length: i % 5000 });
}
