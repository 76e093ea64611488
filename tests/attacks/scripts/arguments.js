// Arguments of g that lie, change or call back.

//# a proxy that answers every read differently is stored as it was read once
// stdout: true
export function main() {
  let reads = 0;
  const get = (_, name) => (name === "toJSON" ? undefined : ++reads);
  const liar = new Proxy({ a: 1 }, { get });
  g.store.put("c", "k", liar);
  return typeof g.store.get("c", "k").data.a === "number";
}

//# a getter that throws passes its own error on, and nothing is stored
// stdout: ["mine",null]
export function main() {
  const seen = [];
  try { g.store.put("c", "k", { a: 1, get b() { throw new Error("mine"); } }); } catch (error) { seen.push(error.message); }
  return [...seen, g.store.get("c", "k")];
}

//# a getter that stores the same document again does not tear it
// stdout: {"inner":7}
export function main() {
  g.store.put("c", "k", { get inner() { g.store.put("c", "k", { a: "x".repeat(1000) }); return 7; } });
  return g.store.get("c", "k").data;
}

//# a getter that clears the collection while a document of it is stored
// stdout: 1
export function main() {
  g.store.put("c", "before", 1);
  g.store.put("c", "k", { get a() { g.store.clear("c"); return 1; } });
  return g.store.count("c");
}

//# a getter that deletes the members that come after it
// stdout: true
export function main() {
  const value = { get a() { delete value.b; delete value.c; return 1; }, b: 2, c: 3 };
  g.store.put("c", "k", value);
  return g.store.get("c", "k").data.a === 1;
}

//# a getter that adds members without end while they are walked
// exit: 0|3
export function main() {
  let added = 0;
  const value = {};
  const add = () => Object.defineProperty(value, `k${++added}`, { get: add, enumerable: true });
  add();
  try { g.store.put("c", "k", value); } catch (error) { return error.name; }
}

//# toJSON that calls put with itself ends as an error
// stdout: "RangeError"
export function main() {
  const again = { toJSON() { g.store.put("c", "k", again); return 1; } };
  try { g.store.put("c", "k", again); } catch (error) { return error.name; }
}

//# toJSON that returns a new object with toJSON is asked once a value
// exit: 0|1|3
export function main() {
  const make = () => ({ toJSON: () => ({ next: make() }) });
  try { g.store.put("c", "k", make()); } catch (error) { return error.name; }
}

//# an array that shrinks while it is written
export function main() {
  const list = [1, 2, 3, 4];
  Object.defineProperty(list, 0, { get() { list.length = 1; return 0; }, enumerable: true });
  try { g.store.put("c", "k", list); } catch (error) { if (!(error instanceof TypeError)) throw error; }
}

//# an array that grows while it is written
// exit: 0|3
export function main() {
  const list = [];
  const grow = { get a() { list.push(grow); return 1; } };
  list.push(grow);
  try { g.store.put("c", "k", list); } catch (error) { return error.name; }
}

//# a sparse array of 4294967295 holes is refused at its first hole
// stdout: "TypeError"
export function main() {
  const holes = [];
  holes.length = 4294967295;
  try { g.store.put("c", "k", holes); } catch (error) { return error.name; }
}

//# a proxy of an array that claims 2^53 elements is stopped by a limit
// exit: 0|3
export function main() {
  const endless = new Proxy([], { get: (_, name) => (name === "length" ? 2 ** 53 - 1 : name === "toJSON" ? undefined : 1) });
  try { g.store.put("c", "k", endless); } catch (error) { return error.name; }
}

//# a proxy that lists the same key twice is refused
// stdout: "TypeError"
export function main() {
  const twice = new Proxy({}, { ownKeys: () => ["a", "a"] });
  try { g.store.put("c", "k", twice); return "stored"; } catch (error) { return error.name; }
}

//# revoked proxies as every argument are TypeErrors
// stdout: true
export function main() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const calls = [
    () => g.store.put("c", "k", proxy), () => g.store.put(proxy, "k", 1), () => g.store.put("c", proxy, 1), () => g.store.list("c", proxy),
    () => g.queue.enqueue("q", 1, proxy), () => g.queue.commit(proxy), () => g.queue.abort(1, proxy), () => g.search.index(proxy),
    () => g.search.query("a", proxy), () => g.search.query(proxy),
  ];
  return calls.every((call) => { try { call(); return false; } catch (error) { return error instanceof TypeError; } });
}

//# objects with toString and Symbol.toPrimitive are no names
// stdout: 0
export function main() {
  let called = 0;
  const name = { toString() { called++; return "c"; }, valueOf() { called++; return "c"; }, [Symbol.toPrimitive]() { called++; return "c"; } };
  for (const call of [() => g.store.count(name), () => g.store.get("c", name), () => g.queue.count(name), () => g.search.count(name)]) {
    try { call(); throw new Error("taken"); } catch (error) { if (!(error instanceof TypeError)) throw error; }
  }
  return called;
}

//# boxed strings, numbers, symbols and bigints are no keys
// stdout: true
export function main() {
  return [new String("k"), 1, 1n, Symbol("k"), true, null, undefined, ["k"], () => "k"].every((key) => {
    try { g.store.put("c", key, 1); return false; } catch (error) { return error instanceof TypeError && error.code === "INVALID_ARGUMENT"; }
  });
}

//# an option whose getter gives a good value first and a bad one later
// stdout: true
export function main() {
  for (let i = 0; i < 5; i++) g.store.put("c", `k${i}`, i);
  let reads = 0;
  const options = { get limit() { return reads++ ? 2 ** 40 : 2; } };
  try { return g.store.list("c", options).length === 2 && reads === 1; } catch (error) { return error instanceof RangeError; }
}

//# an options object that throws from every trap
// stdout: "trap"
export function main() {
  const throws = () => { throw new Error("trap"); };
  const options = new Proxy({}, { get: throws, has: throws, ownKeys: throws, getOwnPropertyDescriptor: throws, getPrototypeOf: throws });
  try { g.store.list("c", options); } catch (error) { return error.message; }
}

//# a hundred thousand unknown options are refused with a short message
// stdout: true
export function main() {
  const options = {};
  for (let i = 0; i < 1e5; i++) options[`option${i}`] = i;
  try { g.store.list("c", options); } catch (error) { return error instanceof TypeError && error.message.length < 4096; }
}

//# the name of an unknown option is 8 MB of control characters
// flags: --max-memory 256M
// exit: 1
export function main() {
  g.store.list("c", { ["\x1b[2J\u202e".repeat(1 << 20)]: 1 });
}

//# every bad limit and offset is refused by kind
// stdout: true
export function main() {
  const bad = [NaN, -1, 1.5, 2 ** 31, 2 ** 53, Infinity, -Infinity, "5", 1n, {}, [], [5], true, Symbol("x"), () => 1, new Number(5)];
  const calls = [
    (limit) => g.store.list("c", { limit }), (offset) => g.store.list("c", { offset }), (limit) => g.queue.list("q", { limit }),
    (offset) => g.queue.deadLetter("q", { offset }), (limit) => g.search.query("a", { limit }), (offset) => g.store.search("c", "a", { offset }),
    (maxRetries) => g.queue.enqueue("q", 1, { maxRetries }), (priority) => g.queue.enqueue("q", 1, { priority }), (leaseMs) => g.queue.dequeue("q", { leaseMs }),
  ];
  return calls.every((call) => bad.every((value) => {
    try { call(value); return false; } catch (error) { return error.code === "INVALID_ARGUMENT"; }
  }));
}

//# __proto__ as a key of data stays data
// stdout: [["__proto__","constructor"],true]
export function main() {
  g.store.put("c", "k", JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'));
  const { data } = g.store.get("c", "k");
  return [Object.keys(data), ({}).polluted === undefined && Object.getPrototypeOf(data) === Object.prototype];
}

//# __proto__ as collection, key, queue and field pollutes nothing
// stdout: [1,1,1,true]
export function main() {
  for (const name of ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]) {
    g.store.put(name, name, { x: 1 });
    g.queue.enqueue(name, { x: 1 });
    g.search.index({ _collection: name, _key: name, ["__proto__"]: "word", constructor: "word" });
  }
  const found = g.search.query("_key:__proto__");
  return [g.store.count("__proto__"), g.queue.count("constructor"), found.length, ({}).x === undefined && Object.getPrototypeOf(found[0].fields) === Object.prototype];
}

//# two lone surrogates as keys are never one document
// stdout: true
export function main() {
  const outcome = ["a\ud800", "a\udc00", "a\ufffd"].map((key, value) => {
    try { g.store.put("c", key, value); return g.store.get("c", key).data === value; } catch (error) { return error.code === "INVALID_ARGUMENT"; }
  });
  return outcome.every(Boolean) && g.store.list("c").every(({ key, data }) => key !== "a\ufffd" || data === 2);
}

//# lone surrogates, NUL and noncharacters in data come back as they were
// stdout: true
export function main() {
  const text = "\ud800|\udc00\ud800|\0|\uffff|\u{10ffff}|\u2028|\u202e|\x7f|\x9b";
  g.store.put("c", "k", { [text]: text });
  const [[name, value]] = Object.entries(g.store.get("c", "k").data);
  return name === text && value === text;
}

//# control characters in names are refused everywhere
// stdout: true
export function main() {
  const bad = ["\0", "a\nb", "\x1b[31m", "\x7f", "\x9b", "a\rb", "\u0085"];
  const calls = [
    (name) => g.store.put(name, "k", 1), (name) => g.store.put("c", name, 1), (name) => g.queue.enqueue(name, 1),
    (name) => g.search.index({ _collection: name, _key: "k" }), (name) => g.search.index({ _collection: "c", _key: name }),
  ];
  return calls.every((call) => bad.every((name) => { try { call(name); return false; } catch (error) { return error.code === "INVALID_ARGUMENT"; } }));
}

//# names are counted in bytes and not in characters
// stdout: [true,true,true,true]
export function main() {
  const refused = (call) => { try { call(); return false; } catch (error) { return error instanceof RangeError; } };
  g.store.put("ü".repeat(127) + "x", "𝒳".repeat(512), 1);
  return [
    refused(() => g.store.put("ü".repeat(128), "k", 1)), refused(() => g.store.put("c", "𝒳".repeat(512) + "x", 1)),
    refused(() => g.store.put("c", "", 1)), refused(() => g.store.put("", "k", 1)),
  ];
}

//# a document of 16 MiB is taken and one of a byte more refused
// flags: --max-memory 256M --timeout 20s
// stdout: [16777214,"RangeError"]
export function main() {
  const text = "x".repeat((16 << 20) - 2);
  g.store.put("c", "k", text);
  let refused;
  try { g.store.put("c", "k2", text + "x"); } catch (error) { refused = error.name; }
  return [g.store.get("c", "k").data.length, refused];
}

//# a document whose escapes make it six times as long is refused by its size
// flags: --max-memory 256M --timeout 20s
// stdout: "RangeError"
export function main() {
  try { g.store.put("c", "k", "\x01".repeat(4 << 20)); return "stored"; } catch (error) { return error.name; }
}

//# values without a form in JSON are refused with their path
// stdout: true
export function main() {
  const bad = [
    NaN, Infinity, -Infinity, new Date(NaN), new Map(), new Set(), new WeakMap(), new Uint8Array(2), new ArrayBuffer(2), new DataView(new ArrayBuffer(2)),
    () => 1, Symbol("x"), /x/, 1n, new Error("x"), Promise.resolve(1), new WeakSet(), Object(1n), Object(Symbol("x")), new Number(NaN),
  ];
  return bad.every((value) => [(data) => g.store.put("c", "k", data), (data) => g.queue.enqueue("q", data)].every((call) => {
    try { call({ items: [0, { price: value }] }); return false; } catch (error) { return error instanceof TypeError && error.message.includes("items[1].price"); }
  }));
}

//# arguments beyond a method's own are refused by every method
// stdout: []
export async function main() {
  const taken = [];
  const full = {
    store: { put: ["c", "k", 1], get: ["c", "k"], list: ["c", null], search: ["c", "a", null], delete: ["c", "k"], count: ["c"], clear: ["c"], collections: [] },
    queue: { enqueue: ["q", 1, null], dequeue: ["q", null], commit: [1], abort: [1, null], peek: ["q"], count: ["q"], clear: ["q"], list: ["q", null], queues: [], deadLetter: ["q", null], retry: ["q", 1], waitForItem: ["q", { timeoutMs: 0 }] },
    search: { index: [{ _collection: "c", _key: "k" }], query: ["a", null], delete: ["c", "k"], deleteByCollection: ["c"], count: [null], clear: [] },
    sqldb: { query: ["x", "select 1", []], listDatabases: ["x"], listTables: ["x", null] },
  };
  for (const [namespace, methods] of Object.entries(full)) {
    for (const [method, given] of Object.entries(methods)) {
      try { await g[namespace][method](...given, { ttl: 1 }); taken.push(method); } catch (error) { if (!(error instanceof TypeError)) taken.push([method, error.code]); }
    }
  }
  return taken;
}

//# methods without any argument are TypeErrors or answers
export async function main() {
  for (const namespace of Object.keys(g)) {
    for (const method of Object.keys(g[namespace])) {
      try { await g[namespace][method](); } catch (error) { if (!(error instanceof TypeError)) throw error; }
    }
  }
}

//# methods called with every odd receiver work or are TypeErrors
// stdout: true
export function main() {
  const { put, count } = g.store;
  put("c", "1", 1);
  put.call(null, "c", "2", 1);
  put.apply(new Proxy({}, { get() { throw 1; } }), ["c", "3", 1]);
  Reflect.apply(put, 42, ["c", "4", 1]);
  put.bind(globalThis, "c")("5", 1);
  let constructed = false;
  try { new put("c", "6", 1); constructed = true; } catch (error) { if (!(error instanceof TypeError)) throw error; }
  try { Reflect.construct(Array, [], put); constructed = true; } catch (error) { if (!(error instanceof TypeError)) throw error; }
  return count("c") === 5 && !constructed;
}

//# methods of g as comparator, reviver, replacer, trap, getter, tag and iterator
// exit: 0|1
export function main() {
  const { count, get, put } = g.store;
  const attempt = (call) => { try { call(); } catch (error) { if (!(error instanceof Error)) throw error; } };
  attempt(() => ["a", "b", "c"].sort(get));
  attempt(() => JSON.parse('{"a":[1,2]}', put));
  attempt(() => JSON.stringify({ a: 1 }, get));
  attempt(() => new Proxy({}, { get: put }).x);
  attempt(() => Object.defineProperty({}, "x", { get: count }).x);
  attempt(() => count`c`);
  attempt(() => [...{ [Symbol.iterator]: count }]);
  attempt(() => "aba".replace(/a/g, put));
  attempt(() => Promise.resolve("c").then(count).then(get, put));
  attempt(() => new Promise(put));
  attempt(() => `${{ toString: g.store.collections }}`);
  attempt(() => 1 + { valueOf: g.queue.queues });
  attempt(() => Array.from([1, 2], count));
}

//# ids of checkouts that are no ids are refused
// stdout: true
export function main() {
  const bad = [-1, 1.5, NaN, 2 ** 53, 2 ** 64, -(2 ** 53), Infinity, "1", 1n, {}, [1], null, undefined, true];
  return [(id) => g.queue.commit(id), (id) => g.queue.abort(id), (id) => g.queue.retry("q", id)].every((call) => bad.every((id) => {
    try { call(id); return false; } catch (error) { return error.code === "INVALID_ARGUMENT"; }
  })) && (() => { try { g.queue.commit(-0); } catch (error) { return error.code === "NOT_FOUND"; } })();
}

//# the error of an abort has getters that throw, and one that commits the checkout
// stdout: true
export function main() {
  g.queue.enqueue("q", 1);
  const { id } = g.queue.dequeue("q");
  const throws = Object.defineProperty(new Error("x"), "message", { get() { throw new TypeError("mine"); } });
  try { g.queue.abort(id, throws); return false; } catch (error) { if (error.message !== "mine") return error.message; }
  const commits = Object.defineProperty(new Error("x"), "message", { get() { g.queue.commit(id); return "late"; } });
  return g.queue.abort(id, commits) === false && g.queue.count("q") === 0;
}

//# the error of an abort is 24 MB long
// flags: --max-memory 256M
// stdout: 8192
export function main() {
  g.queue.enqueue("q", 1);
  g.queue.abort(g.queue.dequeue("q").id, "y".repeat(24 << 20));
  return g.queue.peek("q").lastError.length;
}

//# the error of an abort ends in the middle of a character at its limit
// stdout: true
export function main() {
  g.queue.enqueue("q", 1);
  g.queue.abort(g.queue.dequeue("q").id, "x" + "😀".repeat(4000));
  const { lastError } = g.queue.peek("q");
  return !lastError.includes("\ufffd") && new TextEncoder().encode(lastError).length <= 8192;
}

//# 1,025 waits are one too many, and those before go on
// stdout: ["LIMIT",1024]
export async function main() {
  const waits = Array.from({ length: 1024 }, () => g.queue.waitForItem("q", { timeoutMs: 300 }));
  const error = await g.queue.waitForItem("q", { timeoutMs: 300 }).catch((error) => error);
  return [error.code, (await Promise.all(waits)).filter((item) => item === null).length];
}

//# fields of an index with getters, nested objects, cycles and holes are refused or taken whole
// stdout: true
export function main() {
  const base = { _collection: "c", _key: "k" };
  const cycle = [];
  cycle.push(cycle);
  const bad = [{ a: {} }, { a: [{}] }, { a: [[1]] }, { a: cycle }, { a: [, 1] }, { a: () => 1 }, { a: Symbol("x") }, { a: 1n }, { a: NaN }, { a: new Date(NaN) }, { a: new Map() }, { a: /x/ }, { _key: 5 }, { _key: { toString: () => "k" } }, { _collection: null }];
  const refused = bad.every((fields) => { try { g.search.index({ ...base, ...fields }); return false; } catch (error) { return error.code === "INVALID_ARGUMENT"; } });
  return refused && g.search.count() === 0;
}

//# an index takes fields with dots, quotes, blanks, operators and an empty name
// stdout: true
export function main() {
  const names = ["", ".", "a.b", "a..b", "a b", 'a"b', "a:b", "*", "a\\b", "a\0b", "a\nb", "\ud800", "_exists_", "TO", "a/b", "{x}", "_score", "\u202e"];
  const fields = Object.fromEntries(names.map((name) => [name, "word"]));
  try { g.search.index({ ...fields, _collection: "c", _key: "k" }); } catch (error) { return error.code === "INVALID_ARGUMENT"; }
  return g.search.query("word").length === 1 && g.search.query("_exists_:a.b").length === 1;
}

//# an update whose function updates the same document never ends, and is stopped
// exit: 1|3
export function main() {
  g.store.put("c", "k", 0);
  g.store.update("c", "k", function again(n) { g.store.put("c", "k", Math.random()); return n + 1; });
}

//# an update inside an update of the same document ends as an error
// stdout: "RangeError"
export function main() {
  const again = () => g.store.update("c", "k", again);
  try { again(); } catch (error) { return error.name; }
}

//# an update whose function is none, or gives a promise, changes nothing
// stdout: [true,1]
export function main() {
  g.store.put("c", "k", 1);
  const bad = [undefined, null, 1, "x", {}, async () => 2, () => Promise.resolve(2), () => NaN, () => { throw new TypeError("mine"); }, class {}, () => 1n, () => new Map()];
  const refused = bad.every((change) => { try { g.store.update("c", "k", change); return false; } catch (error) { return error instanceof TypeError; } });
  return [refused, g.store.get("c", "k").data];
}

//# an update whose function deletes the document, clears it, or throws after both
// stdout: true
export function main() {
  g.store.put("c", "k", 1);
  let calls = 0;
  g.store.update("c", "k", (data) => { if (calls++ === 0) g.store.delete("c", "k"); return (data ?? 10) + 1; });
  const first = g.store.get("c", "k").data;
  g.store.update("c", "k", () => undefined);
  return first === 11 && calls === 2 && g.store.get("c", "k") === null;
}

//# a walk over all documents of a collection that grows ahead of it ends or is stopped
// exit: 0|1|3
export function main() {
  g.store.put("c", "k", 0);
  for (const { key } of g.store.all("c")) g.store.put("c", key + "x", 0);
}

//# a walk over all documents while they are deleted gives none twice
// stdout: true
export function main() {
  for (let i = 0; i < 1000; i++) g.store.put("c", `k${i}`, i);
  const seen = new Set();
  let twice = false;
  for (const { key } of g.store.all("c")) {
    twice ||= seen.has(key);
    seen.add(key);
    g.store.delete("c", `k${seen.size * 3}`);
    g.store.put("c", `k${seen.size * 5}`, "again");
  }
  return !twice && seen.size > 300;
}

//# thousands of walks that are begun and left
// exit: 0|3
export function main() {
  for (let i = 0; i < 300; i++) g.store.put("c", `k${i}`, "x".repeat(100));
  const left = [];
  for (let i = 0; i < 2000; i++) { const walk = g.store.all("c")[Symbol.iterator](); walk.next(); left.push(walk); }
  for (const walk of left) { walk.return?.(); walk.next(); }
}

//# a prefix and a key to begin after that are hostile are refused or find nothing
// stdout: true
export function main() {
  g.store.put("c", "k", 1);
  const refused = (options) => { try { g.store.list("c", options); return false; } catch (error) { return error.code === "INVALID_ARGUMENT"; } };
  return [{ prefix: "k" }, { after: "a" }, { sort: "key", prefix: 5 }, { sort: "key", after: {} }, { sort: "createdAt", prefix: "k" }].every(refused)
    && g.store.list("c", { sort: "key", order: "asc", after: "\u{10ffff}".repeat(512) }).length === 0
    && g.store.list("c", { sort: "key", prefix: "\u{10ffff}" }).length === 0;
}
