export function main() {
  const refused = [
    [() => 1, "a function"],
    [class {}, "a function"],
    [Symbol("s"), "a symbol"],
    [1n, "a BigInt"],
    [Object(1n), "a BigInt"],
    [NaN, "NaN"],
    [Infinity, "Infinity"],
    [-Infinity, "-Infinity"],
    [new Number(NaN), "NaN"],
    [new Date(NaN), "an invalid Date"],
    [new Map([[1, 2]]), "a Map"],
    [new Set([1]), "a Set"],
    [new WeakMap(), "a WeakMap"],
    [new WeakSet(), "a WeakSet"],
    [new Uint8Array([1]), "a Uint8Array"],
    [new Float32Array(1), "a Float32Array"],
    [new ArrayBuffer(1), "an ArrayBuffer"],
    [new DataView(new ArrayBuffer(1)), "a DataView"],
    [/x/, "a RegExp"],
    [new Error("e"), "an Error"],
    [new RangeError("e"), "an Error"],
    [new WeakRef({}), "a WeakRef"],
    [(function* () {})(), "a generator"],
    [[1].values(), "an iterator"],
    [new Map().keys(), "an iterator"],
    [new URLSearchParams("a=1"), "an object of which all members are private"],
    [new Proxy(new Map(), {}), "a Map"],
  ];
  const throws = (value, message) =>
    assert.throws(() => g.store.put("c", "k", value), {
      name: "TypeError",
      code: "INVALID_ARGUMENT",
      namespace: "store",
      method: "put",
      message,
    });
  for (const [value, what] of refused) {
    throws(value, `data is ${what}, which JSON can't hold`);
    throws(
      { items: [0, 1, 2, { price: value }] },
      `data.items[3].price is ${what}, which JSON can't hold`,
    );
    throws(
      { toJSON: () => ({ "a b": [value] }) },
      `data["a b"][0] is ${what}, which JSON can't hold`,
    );
  }
  throws(undefined, "data is undefined, which JSON can't hold");
  throws([1, undefined], "data[1] is undefined, which JSON can't hold");
  throws([, 1], "data[0] is undefined, which JSON can't hold");
  throws(
    { toJSON() {} },
    "data is an object whose toJSON returns undefined, which JSON can't hold",
  );
  throws(
    { later: g.queue.waitForItem("q", { timeoutMs: 0 }) },
    "data.later is a Promise, which JSON can't hold: await it",
  );
  assert.equal(g.store.count("c"), 0);
}
