// Ways out of the sandbox, and into the memory of the engine.

//# constructors of constructors give the script's own global and nothing more
// stdout: []
export async function main() {
  const found = [];
  for (const make of [g.store.put.constructor, (async () => {}).constructor, (function* () {}).constructor, (async function* () {}).constructor, console.log.constructor, setTimeout.constructor]) {
    for (const name of ["process", "require", "Deno", "Bun", "std", "os", "Javy", "__wasm", "scriptArgs", "WebAssembly", "Worker", "XMLHttpRequest"]) {
      try {
        let value = make(`return typeof ${name} === "undefined" ? undefined : ${name}`).call(undefined);
        if (value?.next) value = (await value.next()).value;
        value = await value;
        if (value !== undefined && typeof value !== "function" && Object.keys(value).length) found.push(name);
      } catch {}
    }
  }
  return found;
}

//# direct and indirect eval see no more than the script
// stdout: [true,true]
export function main() {
  const indirect = eval;
  return [eval("typeof main") === "function", indirect("this") === globalThis && indirect("typeof bytecode") === "undefined"];
}

//# import() of every kind of specifier fails in order
// stdout: []
export async function main() {
  const taken = [];
  const specifiers = ["", ".", "/etc/passwd", "file:///proc/self/environ", "data:text/javascript,export default 1", "ghost:g/store", "ghost:g/program@0.1.0", "wasi:cli/environment", "script.js", "./script.js", "std", "os", "qjs:std", "\0", "x".repeat(1 << 20), { toString: () => "os" }, { toString() { throw new Error("mine"); } }, Symbol("x"), null];
  for (const specifier of specifiers) { try { await import(specifier); taken.push(String(specifier)); } catch (error) { if (!(error instanceof Error)) taken.push("no error"); } }
  return taken;
}

//# import.meta names no path of the host
// exit: 0|1|2
export function main() { return JSON.stringify(import.meta) + String(import.meta.url) + Reflect.ownKeys(import.meta); }

//# every function that can be reached is called without arguments, with itself and with junk
// exit: 0|1|3
// flags: --timeout 6s
export function main() {
  const seen = new Set();
  const queue = [globalThis, g, GError, console, (async () => {})(), (function* () {})(), (async function* () {})(), /x/, new Map().entries()];
  const functions = [];
  while (queue.length && seen.size < 5000) {
    const value = queue.pop();
    if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) continue;
    seen.add(value);
    if (typeof value === "function") functions.push(value);
    for (const key of Reflect.ownKeys(value)) {
      const descriptor = Object.getOwnPropertyDescriptor(value, key);
      if (descriptor) queue.push(descriptor.value, descriptor.get, descriptor.set);
    }
    queue.push(Object.getPrototypeOf(value));
  }
  const junk = [[], [undefined], [null, -1, 2 ** 53], [{}, [], ""], ["x", "y", "z", 1e3], [Symbol.iterator, 1n], [new Proxy({}, {}), () => 1, new Uint8Array(8)]];
  const own = new Set([Array.prototype.push, Function, eval]);
  const call = Reflect.apply, build = Reflect.construct;
  for (const one of functions) {
    if (own.has(one)) continue;
    for (const given of junk) {
      for (const self of [undefined, null, 5, {}, [], one, new ArrayBuffer(8), /x/, new Date(0), new Map()]) { try { call(one, self, given); } catch {} }
      try { build(one, given); } catch {}
    }
  }
  return functions.length > 500;
}

//# the source of the host's functions shows nothing of it
// stdout: true
export function main() {
  const methods = Object.values(g).flatMap((namespace) => Object.values(namespace));
  return [...methods, console.log, setTimeout, structuredClone, GError].every((method) => !/\/|guest|rust|\.rs|wasm/i.test(Function.prototype.toString.call(method).replace(/\/\/.*|\/\*[\s\S]*?\*\//g, "")));
}

//# finalizers that never end are stopped
// exit: 0|3
export function main() {
  const registry = new FinalizationRegistry(() => { console.log("finalized"); g.store.put("late", "k", 1); for (;;); });
  for (let i = 0; i < 1e4; i++) registry.register({}, i, {});
  globalThis.kept = registry;
  return "over";
}

//# a finalizer that makes more work for itself is stopped like all else
// exit: 0|3
// flags: --timeout 1s
export async function main() {
  const registry = new FinalizationRegistry(() => { for (let i = 0; i < 10; i++) registry.register({}, i); });
  registry.register({}, 0);
  for (let i = 0; i < 1e5; i++) { await null; new WeakRef({}).deref(); }
}

//# Atomics.wait does not block beyond the deadline
// exit: 0|3
// flags: --timeout 1s
export function main() {
  try { Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0, Infinity); } catch (error) { return error.name; }
}

//# a shared buffer that grows while it is read
// exit: 0|1|3
export function main() {
  if (typeof SharedArrayBuffer === "undefined") return;
  const buffer = new SharedArrayBuffer(8, { maxByteLength: 1 << 24 });
  const view = new Uint8Array(buffer);
  const evil = { valueOf() { buffer.grow?.(1 << 24); return 1; } };
  view.fill(evil, 0, evil);
  view.copyWithin(evil, 0, evil);
  return new TextDecoder().decode(view).length > 0;
}

//# a resizable buffer shrinks in the middle of every method that walks it
// exit: 0|1
export function main() {
  const make = () => { const buffer = new ArrayBuffer(4096, { maxByteLength: 1 << 20 }); return [buffer, new Uint8Array(buffer)]; };
  const shrink = (buffer) => ({ valueOf() { buffer.resize(0); return 7; }, toString() { buffer.resize(0); return "7"; } });
  const attempt = (call) => { const [buffer, view] = make(); try { call(buffer, view, shrink(buffer)); } catch {} };
  attempt((_, view, evil) => view.fill(evil));
  attempt((_, view, evil) => view.set([evil, 1, 2, 3]));
  attempt((_, view, evil) => view.copyWithin(10, evil, 4000));
  attempt((_, view, evil) => view.subarray(evil).fill(1));
  attempt((_, view, evil) => view.slice(evil));
  attempt((_, view, evil) => view.with(4000, evil));
  attempt((_, view, evil) => view.indexOf(1, evil));
  attempt((_, view, evil) => view.lastIndexOf(1, evil));
  attempt((_, view, evil) => view.includes(1, evil));
  attempt((_, view, evil) => view.join(evil));
  attempt((buffer, view) => view.sort(() => { buffer.resize(0); return 1; }));
  attempt((buffer, view) => view.map(() => { buffer.resize(1); return 1; }));
  attempt((buffer, view) => view.forEach(() => buffer.resize(16)));
  attempt((buffer, _, evil) => new DataView(buffer).setUint32(evil, 5));
  attempt((buffer, _, evil) => new DataView(buffer, 100).setFloat64(3000, evil));
  attempt((buffer, view) => structuredClone({ get a() { buffer.resize(0); return 1; }, view }));
  attempt((buffer, view) => new Uint8Array(Object.assign(view, { [Symbol.iterator]: function* () { buffer.resize(0); yield 1; } })));
  attempt((buffer, view) => Array.prototype.concat.call([], view, (buffer.resize(1 << 20), view)));
  attempt((buffer, view) => console.log(view, (buffer.resize(3), view)));
  attempt((buffer, view) => g.store.put("c", "k", { get a() { buffer.resize(0); return 1; }, list: Array.from(view) }));
}

//# buffers are detached in the middle of methods that use them
// exit: 0|1
export function main() {
  const attempt = (call) => {
    const buffer = new ArrayBuffer(4096);
    const view = new Uint32Array(buffer);
    const evil = { valueOf() { structuredClone(buffer, { transfer: [buffer] }); return 1; } };
    try { call(view, evil, buffer); } catch {}
    try { view[5] = 1; view.fill(7); buffer.transfer?.(); } catch {}
  };
  attempt((view, evil) => view.fill(evil));
  attempt((view, evil) => view.set([1, evil, 3]));
  attempt((view, evil) => Atomics.add(view, evil, 1));
  attempt((view, evil) => Atomics.store(view, 0, evil));
  attempt((view, evil) => Atomics.compareExchange(view, 0, evil, evil));
  attempt((view, evil) => view.with(0, evil));
  attempt((view, evil) => view.toSpliced?.(evil));
  attempt((view, evil, buffer) => buffer.slice(evil, 4000));
  attempt((view, evil, buffer) => new Uint8Array(buffer, evil, 10)[0]);
  attempt((view, evil, buffer) => new TextDecoder().decode(view, { get stream() { structuredClone(buffer, { transfer: [buffer] }); return true; } }));
  attempt((view, evil, buffer) => { evil.valueOf(); crypto.getRandomValues(view); });
  attempt((view, evil, buffer) => { evil.valueOf(); new TextEncoder().encodeInto("x".repeat(100), new Uint8Array(buffer)); });
}

//# a comparator empties, freezes and grows the array that is sorted
// exit: 0|1
export function main() {
  for (const evil of [(list) => { list.length = 0; }, (list) => Object.freeze(list), (list) => list.push(...Array(100).fill({})), (list) => list.splice(0), (list) => Object.setPrototypeOf(list, new Proxy([], {}))]) {
    const list = Array.from({ length: 500 }, (_, i) => ({ i }));
    try { list.sort((a, b) => { evil(list); return (b?.i ?? 0) - (a?.i ?? 0); }); } catch {}
  }
}

//# concat, splice, flat and copyWithin with lengths and species that lie
// exit: 0|1|3
export function main() {
  const attempt = (call) => { try { call(); } catch (error) { if (!(error instanceof Error)) throw error; } };
  class Evil extends Array { static get [Symbol.species]() { return function () { return new Proxy([], { defineProperty: () => true, set: () => true }); }; } }
  const list = Evil.from([1, 2, 3]);
  attempt(() => list.concat({ length: 2 ** 53 - 1, [Symbol.isConcatSpreadable]: true }));
  attempt(() => list.splice(0, { valueOf() { list.length = 0; return 3; } }, 1, 2, 3, 4));
  attempt(() => [1, [2, { get length() { list.length = 1e6; return 1; } }]].flat(Infinity));
  attempt(() => list.copyWithin(0, { valueOf() { list.length = 0; return 1; } }));
  attempt(() => Array.prototype.concat.apply([], Array.from({ length: 1e5 }, () => [1])));
  attempt(() => Array.prototype.unshift.call({ length: 2 ** 53 - 1 }, 1));
  attempt(() => list.map(() => { list.length = 0; return 1; }));
  attempt(() => Array.prototype.slice.call(new Proxy([1, 2], { get: (t, k) => (k === "length" ? 5 : t[k]), has: () => true })));
}

//# a regular expression is compiled anew in the middle of its own match
// exit: 0|1
export function main() {
  const attempt = (call) => { try { call(); } catch (error) { if (!(error instanceof Error)) throw error; } };
  const make = () => { const re = /(a)(b)(c)/g; re.lastIndex = { valueOf() { re.compile?.("(?:x)".repeat(1000)); return 0; } }; return re; };
  attempt(() => make().exec("abcabc"));
  attempt(() => "abcabc".replace(make(), "$1$2$3$4$<x>"));
  attempt(() => "abcabc".replace(/(a)(b)/g, (...all) => { RegExp.prototype.compile?.call(all, "x"); return "y"; }));
  attempt(() => [..."abc".matchAll(make())]);
  attempt(() => "abc".split(Object.assign(/b/, { exec: () => ({ index: 2 ** 31, 0: "", length: 2 ** 31 }) }), 5));
  attempt(() => RegExp.prototype[Symbol.replace].call({ exec: () => ({ index: -5, 0: { toString: () => "x".repeat(1000) }, length: 1e5 }), flags: "", lastIndex: 0 }, "abc", "$0$99"));
}

//# generators and async generators are entered while they run
// exit: 0|1
export async function main() {
  const attempt = async (call) => { try { await call(); } catch (error) { if (!(error instanceof Error)) throw error; } };
  let own;
  function* again() { own.next(); yield 1; }
  own = again();
  await attempt(() => own.next());
  function* returns() { try { yield* { [Symbol.iterator]: () => ({ next: () => ({ get done() { own.return(1); return false; } }), return: () => own.throw(new Error("x")) }) }; } finally { own.next(); } }
  own = returns();
  await attempt(() => own.next());
  await attempt(() => own.return(5));
  async function* parallel() { yield 1; await own.return(1); yield 2; }
  own = parallel();
  await attempt(() => Promise.race([Promise.allSettled([own.next(), own.next(), own.throw(new Error("y")), own.next()]), new Promise((resolve) => setTimeout(resolve, 20))]));
}

//# the entry is a proxy, a class, a bound method of g, or a generator
// exit: 1
export const main = new Proxy(class {}, { apply() { throw new Error("trap"); } });

//# the entry is a method of g itself, which gets arguments from outside
// arguments: c
// stdout: 0
export const main = g.store.count;

//# the entry is a getter of a namespace object that changes
// stdout: 1
export { first as main };
let first = () => 1;
Object.defineProperty(globalThis, "main", { get() { throw new Error("poison"); } });

//# views into buffers at offsets that overflow
// stdout: true
export function main() {
  const buffer = new ArrayBuffer(16);
  const offsets = [-1, 17, 2 ** 31, 2 ** 32, 2 ** 53, NaN, Infinity, -Infinity, 1.5, "16", { valueOf: () => 2 ** 32 + 8 }];
  for (const offset of offsets) {
    for (const call of [() => new DataView(buffer).getBigUint64(offset), () => new DataView(buffer, offset), () => new Uint32Array(buffer, offset), () => new Uint8Array(buffer, 0, offset), () => new DataView(buffer).setInt8(offset, 1), () => buffer.slice(offset, offset)]) {
      try { call(); } catch (error) { if (!(error instanceof Error)) return false; }
    }
  }
  return true;
}

//# weak collections with keys that refer to each other
// exit: 0|3
// flags: --timeout 2s
export function main() {
  const map = new WeakMap();
  let first = {};
  const root = first;
  for (let i = 0; i < 1e5; i++) { const next = { i }; map.set(first, next); first = next; }
  for (let at = root, i = 0; at; at = map.get(at), i++);
  return map.has(root);
}

//# the result and the error have a thenable that answers twice, late and recursively
// stdout: "first"
export function main() {
  return { then(resolve, reject) { resolve({ then(again) { again("first"); again("second"); reject(new Error("x")); } }); reject(new Error("y")); setTimeout(resolve, 0, "late"); throw new Error("z"); } };
}

//# names of functions and files in a stack are forged
// exit: 1
export function main() {
  const forged = new Error("x");
  Object.defineProperty(forged, "stack", { value: "    at root (/etc/passwd:1:1)\n    at \x1b[31m (script.js:99999999:99999999)\n".repeat(10) });
  throw Object.assign(forged, { name: "error", code: "FORGED", details: { toString: 1 } });
}

//# a script's error can't be taken for a limit of the host
// exit: 1
export function main() {
  throw Object.assign(new Error("the script ran for longer than its limit of 3s (--timeout)"), { name: "error", code: "TIME", exit: 3 });
}

