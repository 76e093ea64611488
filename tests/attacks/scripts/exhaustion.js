// Memory, time, stacks and output: everything that can be used up.

//# promises chained without end
// exit: 3
export async function main() { let last = new Promise(() => {}); for (;;) last = last.then((value) => value); }

//# async functions that all wait
// exit: 3
export async function main() { const never = new Promise(() => {}); const wait = async (i) => { await never; return i; }; for (let i = 0; ; i++) wait(i); }

//# generators that are begun and kept
// exit: 3
export function main() { const kept = []; for (;;) { const one = (function* () { const big = new Array(50).fill(0); yield big; })(); one.next(); kept.push(one); } }

//# a bigint of a billion digits
// exit: 1|3
export function main() { return (1n << (1n << 33n)).toString().length; }

//# a power of bigints that never ends
// exit: 1|3
// flags: --timeout 1s
export function main() { let n = 7n; for (;;) n = n ** 3n; }

//# a bigint of a million digits as text and back
// exit: 0|1|3
// flags: --timeout 1s
export function main() { const digits = "7".repeat(3_000_000); return BigInt(digits).toString() === digits; }

//# ropes of text that are doubled and flattened
// exit: 1|3
export function main() { let text = "x"; const kept = []; for (;;) { text = text + text; kept.push(text.charCodeAt(text.length - 1), text.slice(1)); } }

//# arrays of four billion elements in every way of making them
// exit: 0|1|3
// flags: --timeout 2s
export function main() {
  for (const make of [() => new Array(2 ** 32 - 1).fill(0), () => Array.from({ length: 2 ** 32 }), () => Array(2 ** 32 - 1).join("x"), () => [...Array(2 ** 31)], () => Array.apply(null, Array(2 ** 31)), () => "x".repeat(2 ** 29).split(""), () => Object.keys("x".repeat(2 ** 28))]) {
    try { make(); } catch (error) { if (!(error instanceof Error)) throw error; }
  }
}

//# methods of arrays over objects that claim 2^53 elements
// exit: 3
// flags: --timeout 1s
export function main() { Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1); }

//# lastIndexOf over an object that claims 2^53 elements
// exit: 3
// flags: --timeout 1s
export function main() { Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1); }

//# reverse over an object that claims 2^53 elements
// exit: 3
// flags: --timeout 1s
export function main() { Array.prototype.reverse.call({ length: 2 ** 53 - 1 }); }

//# fill of an object that claims 2^53 elements
// exit: 3
// flags: --timeout 1s
export function main() { Array.prototype.fill.call(new Proxy({ length: 2 ** 53 - 1 }, { set: () => true, defineProperty: () => true }), 0); }

//# a search for a long text in a long text
// exit: 0|3
// flags: --timeout 1s
export function main() { return ("a".repeat(3e6) + "b").indexOf("a".repeat(1e6) + "c") + ("a".repeat(3e6)).lastIndexOf("a".repeat(1e6) + "b"); }

//# replaceAll of the empty text, again and again
// exit: 1|3
// flags: --timeout 2s
export function main() { let text = "x"; for (;;) text = text.replaceAll("", "yy"); }

//# normalisation, case and comparison of long texts
// exit: 0|1|3
// flags: --timeout 2s
export function main() { const text = "ﷺ\u0958İß".repeat(5e5); return text.normalize("NFKD").length + text.toUpperCase().length + text.localeCompare(text + "x"); }

//# padding, repeating and joining to impossible lengths
// stdout: true
export function main() {
  return [() => "x".padStart(2 ** 31), () => "x".padEnd(Infinity), () => "ab".repeat(2 ** 30), () => "x".repeat(-1), () => Array(2 ** 20).join("x".repeat(2 ** 20)), () => "x".repeat(2 ** 28).concat(..."y".repeat(100))].every((call) => {
    try { call(); return true; } catch (error) { return error instanceof Error; }
  });
}

//# a pattern with nested alternatives that backtracks
// exit: 3
// flags: --timeout 1s
export function main() { return /^(?:a|a|a)*$/.test("a".repeat(40) + "!"); }

//# a pattern with a back reference that backtracks
// exit: 3
// flags: --timeout 1s
export function main() { return /^(a*)*(\1)*(a*)*\1b$/.test("a".repeat(60) + "c"); }

//# a pattern with look-behind that backtracks
// exit: 0|3
// flags: --timeout 1s
export function main() { return /(?<=(a+)+)(?<!(b|b)*)x/.test("a".repeat(60) + "!".repeat(60)); }

//# patterns that backtrack in split, replace and matchAll
// exit: 3
// flags: --timeout 1s
export function main() { const text = "ab".repeat(40) + "!"; text.split(/(?:(ab)+)+$/); text.replace(/(?:(ab)*)*$/g, ""); return [...text.matchAll(/((ab)*)*c/g)]; }

//# a pattern with a count of two billion
// exit: 0|1|3
export function main() { for (const source of ["(?:a{1000}){1000}{2}", "(?:(?:a{65535}){65535}){65535}", "a{4294967295}", "(?:){2147483647}", "(?<n>x)".repeat(3), "[^]{2147483646}".repeat(100)]) { try { new RegExp(source).test("a".repeat(1e5)); } catch (error) { if (!(error instanceof Error)) throw error; } } }

//# a pattern with a hundred thousand groups
// exit: 0|3
export function main() { try { return new RegExp("(a)".repeat(1e5) + "?").exec("a".repeat(1e5))?.length; } catch (error) { return error.name; } }

//# tags of templates that are evaluated without end
// exit: 3
// flags: --timeout 2s
export function main() { for (let i = 0; ; i++) eval(`((x) => x)\`${i}\${i}\``); }

//# functions that are compiled without end
// exit: 3
// flags: --timeout 2s
export function main() { const kept = []; for (let i = 0; ; i++) kept.push(new Function(`return ${i};` + "a.b.c;".repeat(100))); }

//# names of properties that are all different
// exit: 3
// flags: --timeout 2s
export function main() { for (let i = 0; ; i++) ({})[`name${i}`.repeat(10)] = Symbol.for(`symbol${i}`); }

//# objects that all have a shape of their own
// exit: 3
// flags: --timeout 2s
export function main() { const kept = []; for (let i = 0; ; i++) { const one = {}; for (let j = 0; j < 20; j++) one[`a${(i * 31 + j * 17) % 5000}`] = j; kept.push(one); } }

//# empty lines of the console without end
// exit: 3
// flags: --timeout 2s
export function main() { for (;;) console.log(""); }

//# lines of the console behind a write, which are held back until it is on disk
// exit: 3
// flags: --timeout 2s
export function main() { for (let i = 0; ; i++) { g.store.put("c", "k", i); for (let j = 0; j < 5000; j++) console.log(""); } }

//# one line of the console that fills the memory
// exit: 0|1|3
export function main() { console.log("\x1b".repeat(24 << 20)); }

//# a table of the console with a hundred thousand columns
// exit: 0|1|3
export function main() { const row = {}; for (let i = 0; i < 1e5; i++) row[`c${i}`] = "x"; console.table([row, row, row]); }

//# a million clocks of the console
// exit: 0|1|3
export function main() { for (let i = 0; i < 1e6; i++) console.time(`clock ${i}`); }

//# formats of the console that are hostile
export function main() {
  console.log("%s%d%i%f%o%O%c%j%%%", Symbol("x"), 1n, "9".repeat(1e5), {}, Object.create(null), new Proxy({}, {}), "color: url(x)", 1);
  console.log("%s".repeat(1e5), 1);
  console.log("%99999999s%.99999999f%*d", "x", 1.5);
  console.error({ toString() { throw 1; } }, -0, [,], [undefined], new Array(5), Object(1n), new (class extends null { static x = 1; constructor() { return Object.create(null); } })());
}

//# an object of a million members on the console
// exit: 0|1|3
// flags: --max-memory 256M
export function main() { const wide = {}; for (let i = 0; i < 1e6; i++) wide[i] = i; console.log(wide, new Map(Object.entries(wide)), new Set(Object.keys(wide)), Object.values(wide)); }

//# the message of an error is 24 MB
// exit: 1|3
// flags: --max-memory 128M
export function main() { throw new Error("y".repeat(24 << 20)); }

//# the message, details and stack of an MCP script's error are within its console
// exit: 1
// flags: --origin mcp
// stderr KiB: 24
export function main() {
  try { g.store.list("c", { ["z".repeat(5 << 20)]: 1 }); } catch (error) { throw Object.assign(error, { message: "y".repeat(5 << 20), stack: "w".repeat(5 << 20) }); }
}

//# a chain of causes a hundred thousand long
// exit: 1|3
export function main() { let error = new Error("first"); for (let i = 0; i < 1e5; i++) error = new Error(`e${i}`, { cause: error }); console.log(error); throw error; }

//# causes that go in a circle
// exit: 1
export function main() { const a = new Error("a"), b = new Error("b", { cause: a }); a.cause = b; console.log(a); throw b; }

//# an aggregate of a million errors
// exit: 1|3
// flags: --max-memory 128M
export function main() { const one = new Error("x"); const all = new AggregateError(Array(1e6).fill(one), "all"); console.log(all); throw all; }

//# a name of a megabyte and a code of a megabyte
// exit: 1
export function main() { throw Object.assign(new Error("m"), { name: "n".repeat(1 << 20), code: "c".repeat(1 << 20), namespace: "s".repeat(1 << 20), details: { a: "d".repeat(1 << 20) } }); }

//# a frame of the stack has a name of a megabyte
// exit: 1
export function main() { const deep = { ["f".repeat(1 << 20)]() { throw new Error("x"); } }; Object.values(deep)[0](); }

//# a result beyond its limit
// exit: 3
// flags: --max-memory 512M --timeout 20s
export function main() { return "x".repeat((64 << 20) - 1); }

//# a result whose escapes make it six times as large
// exit: 3
// flags: --max-memory 256M --timeout 20s
export function main() { return "\x01".repeat(24 << 20); }

//# a result of ten million nulls
// exit: 0|1|3
export function main() { return new Array(1e7).fill(null); }

//# a result a million arrays deep
// exit: 1|3
export function main() { let deep = []; for (let i = 0; i < 1e6; i++) deep = [deep]; return deep; }

//# a result of an MCP script is cut between surrogates and escapes
// flags: --origin mcp
export function main() { return "😀\u0001\ud800".repeat(20_000); }

//# a million rejections that nobody handles
// exit: 1|3
export function main() { for (let i = 0; i < 1e6; i++) Promise.reject(new Error("x".repeat(100))); }

//# rejections that are handled and made again
// exit: 3
// flags: --timeout 1s
export async function main() { for (;;) { const one = Promise.reject(1); await null; one.catch(() => Promise.reject(2)); await null; await null; break; } for (;;) await Promise.allSettled([Promise.reject(1)]); }

//# a million intervals
// exit: 3
// flags: --timeout 2s
export async function main() { for (let i = 0; i < 1e6; i++) setInterval(() => {}, 0); await new Promise(() => {}); }

//# delays that are no delays
// stdout: 9
export async function main() {
  let fired = 0;
  for (const delay of [NaN, -1, -Infinity, "0", null, undefined, { valueOf: () => 0 }, 1e-9, false]) setTimeout(() => fired++, delay);
  setTimeout(() => fired++, Infinity); setTimeout(() => fired++, 2 ** 31); setTimeout(() => fired++, Number.MAX_VALUE);
  await new Promise((resolve) => setTimeout(resolve, 60));
  return fired >= 9 ? 9 : fired;
}

//# timers that clear themselves, each other and what is none
// stdout: true
export async function main() {
  const ids = [];
  for (let i = 0; i < 1000; i++) ids.push(setTimeout(() => ids.forEach(clearTimeout), 1));
  const self = setInterval(() => clearInterval(self), 1);
  for (const id of [NaN, -1, 2 ** 53, "x", {}, null, undefined, 1n, ids]) { try { clearTimeout(id); } catch {} }
  return await new Promise((resolve) => setTimeout(resolve, 30, true));
}

//# queueMicrotask in a circle of two with a timer that never comes to its turn
// exit: 3
// flags: --timeout 1s
export async function main() { const a = () => queueMicrotask(b), b = () => queueMicrotask(a); a(); setTimeout(() => { throw new Error("its turn"); }, 0); await new Promise(() => {}); }

//# the deadline is caught by finally in a tower of generators
// exit: 3
// flags: --timeout 500ms
export function main() { function* forever() { for (;;) { try { for (;;); } finally { yield* forever(); } } } for (const _ of forever()); }

//# the deadline comes while thousands of finally blocks are open
// exit: 3
// flags: --timeout 500ms
export function main() { const deep = (n) => { try { if (n) deep(n - 1); else for (;;); } finally { for (;;) { try { for (;;); } finally { continue; } } } }; deep(500); }

//# the end of memory is caught in a loop that tries again
// exit: 0|3
// flags: --timeout 2s --max-memory 32M
export function main() { const kept = []; for (;;) { try { for (;;) kept.push(new Array(1000).fill({})); } catch {} } }

//# the end of memory is caught by promises that allocate again
// exit: 1|3
// flags: --timeout 2s --max-memory 32M
export async function main() { const kept = []; const again = () => { try { for (;;) kept.push("x".repeat(10_000) + kept.length); } catch (error) { return Promise.resolve().then(again, again); } }; await again(); }

//# the end of memory comes inside toJSON of the result
// exit: 1|3
// flags: --max-memory 32M
export function main() { return { toJSON() { const kept = []; for (;;) kept.push({ a: kept }); } }; }

//# the end of memory comes inside a getter of what is stored
// exit: 0|1|3
// flags: --max-memory 32M
export function main() { try { g.store.put("c", "k", { get a() { const kept = []; for (;;) kept.push([kept]); } }); } catch (error) { return error.message; } }

//# every call of g is made when no memory is left
// exit: 0|1|3
// flags: --max-memory 32M --timeout 5s
export async function main() {
  const text = "y".repeat(1 << 20);
  for (let i = 0; i < 5; i++) g.store.put("c", `k${i}`, text);
  const kept = [];
  const full = () => { try { for (;;) kept.push(new Uint8Array(1 << 16)); } catch {} try { for (;;) kept.push(new Uint8Array(256)); } catch {} kept.length -= 10; };
  const calls = [
    () => g.store.put("c", "k", text), () => g.store.get("c", "k1"), () => g.store.list("c"), () => g.store.search("c", "yyy*"), () => g.queue.enqueue("q", text), () => g.queue.dequeue("q"),
    () => g.search.index({ _collection: "c", _key: "k", a: text }), () => g.search.query("a*"), () => console.log(text), () => structuredClone(text + "x"), () => new TextEncoder().encode(text),
    () => new TextDecoder().decode(kept[0]), () => btoa(text), () => atob(text), () => new URL("http://x/" + text), () => crypto.getRandomValues(new Uint8Array(65536)), () => JSON.parse(`[${"1,".repeat(1e5)}1]`), () => new RegExp(text), () => eval(`"${text}"`),
  ];
  full();
  for (const call of calls) { try { await call(); } catch {} }
}

//# an error is thrown when no memory is left
// exit: 1|3
// flags: --max-memory 32M
export function main() { const kept = []; try { for (;;) kept.push(new Uint8Array(1 << 12)); } catch {} try { for (;;) kept.push([]); } catch {} throw new Error("m".repeat(1000) + kept.length); }

//# a result is returned when no memory is left
// exit: 0|1|3
// flags: --max-memory 32M
export function main() { const kept = []; try { for (;;) kept.push(new Uint8Array(1 << 12)); } catch {} globalThis.kept = kept; return { kept: kept.length, text: ["x", "y", "z"] }; }

//# arguments and input take the memory before main begins
// exit: 0|1|3
// flags: --max-memory 32M --input -
// stdin: [1]
export function main(input) { return input; }

//# a script stores three views of one text at the same time until memory ends
// exit: 0|1|3
// flags: --max-memory 64M
export function main() { const text = "z".repeat(15 << 20); for (let i = 0; i < 5; i++) { g.store.put(`c${i}`, "k", text); g.queue.enqueue(`q${i}`, text); g.search.index({ _collection: "c", _key: `k${i}`, a: "b" }); } }

//# proxies around proxies a hundred thousand deep
// exit: 0|1|3
export function main() { let deep = {}; for (let i = 0; i < 1e5; i++) deep = new Proxy(deep, {}); try { return [deep.x, "x" in deep, Object.keys(deep)]; } catch (error) { return error.name; } }

//# bound functions of bound functions a hundred thousand deep
// exit: 0|1|3
export function main() { let deep = () => 1; for (let i = 0; i < 1e5; i++) deep = deep.bind(null, i); try { return deep(); } catch (error) { return error.name; } }

//# a chain of prototypes a million long
// exit: 0|1|3
// flags: --max-memory 256M
export function main() { let deep = null; for (let i = 0; i < 1e6; i++) deep = Object.create(deep); let n = 0; for (const name in deep) n++; return [deep.missing === undefined, n]; }

//# yield* through a hundred thousand generators
// exit: 0|1|3
export function main() { function* deep(n) { yield n; if (n) yield* deep(n - 1); } let sum = 0; try { for (const n of deep(1e5)) sum += n; return sum; } catch (error) { return error.name; } }

//# recursion through every built-in that calls back
// stdout: []
// flags: --timeout 20s
export function main() {
  const ways = {
    sort: (again) => [2, 1].sort(again), map: (again) => [1].map(again), reduce: (again) => [1, 2].reduce(again), find: (again) => [1].find(again), from: (again) => Array.from([1], again),
    replace: (again) => "a".replace("a", again), regexp: (again) => "a".replace(/a/, again), parse: (again) => JSON.parse("[1]", again), stringify: (again) => JSON.stringify({ toJSON: again }), replacer: (again) => JSON.stringify([1], again),
    toString: (again) => `${{ toString: again }}`, valueOf: (again) => +{ valueOf: again }, primitive: (again) => 1 + { [Symbol.toPrimitive]: again }, getter: (again) => Object.defineProperty({}, "x", { get: again }).x,
    setter: (again) => { Object.defineProperty({}, "x", { set: again }).x = 1; }, proxy: (again) => new Proxy({}, { get: again }).x, has: (again) => "x" in new Proxy({}, { has: again }), apply: (again) => new Proxy(() => 1, { apply: again })(),
    construct: (again) => new (new Proxy(class {}, { construct: () => (again(), {}) }))(), instance: (again) => 1 instanceof { [Symbol.hasInstance]: again }, iterator: (again) => [...{ [Symbol.iterator]: again }], call: (again) => again.call(), applied: (again) => Reflect.apply(again, null, []),
    bind: (again) => again.bind()(), eval: (again) => { globalThis.again = again; (0, eval)("again()"); }, made: (again) => new Function("again", "again()")(again), species: (again) => Object.assign([1], { constructor: { [Symbol.species]: again } }).map((x) => x),
    forEach: (again) => new Map([[1, 1]]).forEach(again), typed: (again) => new Uint8Array(1).map(again), sorted: (again) => new Uint8Array(2).sort(again), clone: (again) => structuredClone(Object.defineProperty({}, "x", { get: again, enumerable: true })),
    console: (again) => console.log(new Proxy({}, { ownKeys: again })), put: (again) => g.store.put("c", "k", { toJSON: again }), index: (again) => g.search.index(Object.defineProperty({ _collection: "c", _key: "k" }, "a", { get: again, enumerable: true })),
    abort: (again) => g.queue.abort(1, Object.defineProperty(new Error(), "message", { get: again })), options: (again) => g.store.list("c", Object.defineProperty({}, "limit", { get: again, enumerable: true })), tag: (again) => again`x`, then: (again) => ({ then: again }).then(), flat: (again) => [1].flatMap(again),
    group: (again) => Object.groupBy?.([1], again) ?? again(), entries: (again) => Object.fromEntries({ [Symbol.iterator]: again }), split: (again) => "a".split({ [Symbol.split]: again }), date: (again) => new Date({ valueOf: again }), url: (again) => new URL({ toString: again }), assign: (again) => Object.assign({}, Object.defineProperty({}, "x", { get: again, enumerable: true })),
  };
  const wrong = [];
  for (const [name, way] of Object.entries(ways)) {
    let caught = false;
    const again = () => way(again);
    try { again(); } catch (error) { caught = error instanceof RangeError || error instanceof TypeError; }
    // The console shows what a trap throws.
    if (!caught && name !== "console") wrong.push(name);
  }
  return wrong;
}

//# source with ten thousand nested templates, chains and conditions
// exit: 0|1
export function main() {
  for (const [open, close] of [["`${", "}`"], ["a?.[", "]"], ["a?", ":1"], ["({a:", "})"], ["()=>", ""], ["async()=>{await ", "}"], ["function(){return ", "}"], ["new ", ""], ["typeof ", ""], ["-", ""], ["class extends (", "){}"], ["[...", "]"], ["{", "}"], ["if(1)", ";"], ["for(;;)", ";"], ["label:", ";"], ["try{", "}catch{}"], ["switch(1){case ", ":}"]]) {
    try { new Function(`return ${open.repeat(1e4)}1${close.repeat(1e4)}`); } catch (error) { if (!(error instanceof Error)) throw error; }
    try { new Function(`${open.repeat(1e4)}1${close.repeat(1e4)}`); } catch (error) { if (!(error instanceof Error)) throw error; }
  }
}

//# decoding, encoding and parsing of 16 MB of what is malformed
// exit: 0|1|3
// flags: --timeout 5s --max-memory 128M
export function main() {
  const text = "%E0%A4%".repeat(1 << 20);
  for (const call of [() => decodeURIComponent(text), () => encodeURIComponent("\ud800".repeat(1 << 20)), () => escape?.(text), () => atob(text), () => btoa("ü".repeat(1 << 20)), () => new URL(text), () => new URLSearchParams(text).toString(), () => JSON.parse(text), () => Date.parse(text), () => parseFloat(text), () => Number(text), () => BigInt(text), () => new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(8 << 20).fill(0xf8)), () => new RegExp(text, "v")]) {
    try { call(); } catch (error) { if (!(error instanceof Error)) throw error; }
  }
}

//# decoders of a stream that is cut in the middle of characters
// stdout: true
export function main() {
  const decoder = new TextDecoder();
  let text = "";
  for (const byte of new TextEncoder().encode("ü😀".repeat(10_000))) text += decoder.decode(new Uint8Array([byte]), { stream: true });
  decoder.decode(new Uint8Array([0xf0, 0x9f]), { stream: true });
  return text === "ü😀".repeat(10_000) && decoder.decode() === "\ufffd";
}

//# random numbers are asked for without end and beyond their size
// exit: 3
// flags: --timeout 1s
export function main() { try { crypto.getRandomValues(new Uint8Array(1 << 24)); } catch {} for (;;) { crypto.randomUUID(); crypto.getRandomValues(new Uint8Array(65_536)); performance.now(); Date.now(); } }

//# structured clones of cycles, views and errors without end
// exit: 3
// flags: --timeout 2s
export function main() { let value = { list: [new Map(), new Set(), new Error("x"), /x/g, new Date(), new Uint8Array(1000)] }; value.self = value; const kept = []; for (;;) { value = structuredClone({ value }); kept.push(value); } }

//# search parameters of an address are appended without end
// exit: 3
// flags: --timeout 2s
export function main() { const url = new URL("http://x/?a=1"); for (;;) url.searchParams.append("a".repeat(1000), "ü".repeat(1000)); }

//# documents are listed and kept until memory ends
// exit: 0|1|3
// flags: --timeout 5s
export function main() { for (let i = 0; i < 40; i++) g.store.put("c", `k${i}`, "x".repeat(1 << 20)); const kept = []; for (;;) kept.push(g.store.list("c", { limit: 100 })); }

//# a page of more than 64 MiB is refused and takes no memory
// flags: --timeout 20s --max-memory 128M
// stdout: "LIMIT"
export function main() { const text = "x".repeat(1 << 20); for (let i = 0; i < 70; i++) g.store.put("c", `k${i}`, text); try { g.store.list("c"); } catch (error) { return error.code; } }

//# a list with an offset of two billion over a million steps looks at the deadline
// exit: 0|3
// flags: --timeout 2s
export function main() { for (let i = 0; i < 20_000; i++) g.store.put("c", `k${i}`, i); for (;;) g.store.list("c", { offset: 2 ** 31 - 1, sort: "key" }); }

//# thousands of collections and queues, and their lists
// exit: 0|3
// flags: --timeout 4s
export function main() { for (let i = 0; i < 20_000; i++) { g.store.put(`collection${i}`, "k", 1); g.queue.enqueue(`queue${i}`, 1); } return g.store.collections().length + g.queue.queues().length; }

//# a wait, a timer and a call that never ends are all cut by the deadline
// exit: 3
// flags: --timeout 500ms
export async function main() { await Promise.all([g.queue.waitForItem("q"), new Promise((resolve) => setTimeout(resolve, 1e9)), g.queue.waitForItem("q2", { timeoutMs: 2 ** 31 - 1 })]); }

//# items taken by a run that fails come back at once
// runs: 2
// exit: 1
export function main() { if (g.queue.count("q") === 0) g.queue.enqueue("q", 1, { maxRetries: 100 }); if (g.queue.dequeue("q") === null) throw new Error("lost"); throw new Error("on purpose"); }
