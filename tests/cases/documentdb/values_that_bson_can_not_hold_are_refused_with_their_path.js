export async function main() {
  const place = ["docs", "cases", "refused"];
  const cycle = { a: {} };
  cycle.a.b = [cycle];
  const rows = [
    [{ f() {} }, "TypeError", "document.f is a function, which BSON can't hold"],
    [{ a: [Symbol("x")] }, "TypeError", "document.a[0] is a symbol, which BSON can't hold"],
    [cycle, "TypeError", "document.a.b[0] refers to an object that contains it, a cycle"],
    [{ a: 2n ** 63n }, "RangeError", "document.a is a BigInt beyond int64"],
    [{ a: new Set() }, "TypeError", "document.a is a Set, which BSON can't hold"],
    [{ a: [undefined] }, "TypeError", "document.a[0] is undefined"],
    [{ a: new Date(NaN) }, "RangeError", "document.a is an invalid Date"],
    [{ a: /x/g }, "TypeError", "document.a is a RegExp with the flag g"],
    [{ a: "\ud800" }, "RangeError", "document.a is not well-formed Unicode"],
    [{ "a\0": 1 }, "RangeError", 'document["a\\0"] has NUL in its name'],
    [{ a: new Float32Array(1) }, "TypeError", "document.a is a Float32Array"],
    [{ a: Promise.resolve() }, "TypeError", "document.a is a Promise"],
    [{ a: new Map([[1, 2]]) }, "TypeError", "document.a is a Map with a key"],
  ];
  for (const [document, name, message] of rows) {
    const call = g.documentdb.insertOne(...place, document);
    const error = await assert.rejects(call, { name, code: "INVALID_ARGUMENT" });
    assert.ok(error.message.startsWith(message), error.message);
  }
  for (const document of [1, "x", [], null, new Date(), new g.documentdb.ObjectId(), /x/]) {
    await assert.rejects(g.documentdb.insertOne(...place, document), { name: "TypeError" });
  }
  assert.equal(await g.documentdb.countDocuments(...place), 0);
}
