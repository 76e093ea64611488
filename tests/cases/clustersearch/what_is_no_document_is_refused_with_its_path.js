export async function main() {
  const name = "case-no-document";
  const cycle = { a: {} };
  cycle.a.b = cycle;
  let deep = {};
  for (let level = 0; level < 1001; level += 1) deep = { deep };
  const documents = [
    [{ a: [1, NaN] }, "TypeError", /^document\.a\[1\] is NaN/],
    [{ a: 2n ** 64n }, "TypeError", /^document\.a is a BigInt/],
    [{ a: () => 1 }, "TypeError", /^document\.a is a function/],
    [cycle, "TypeError", /cycle/],
    [deep, "RangeError", /nested/],
    [new Map(), "TypeError", /Map/],
    [new Date(0), "TypeError", /object/],
    ["{}", "TypeError", /must be an object, not a string/],
    [[], "TypeError", /must be an object, not an array/],
    [null, "TypeError", /must be an object, not null/],
    [undefined, "TypeError", /must be an object, not undefined/],
  ];
  for (const [document, kind, message] of documents) {
    await assert.rejects(g.clustersearch.index("cluster", name, "1", document), {
      name: kind,
      code: "INVALID_ARGUMENT",
      message,
    });
  }
  await assert.rejects(g.clustersearch.bulk("cluster", name, [{}, { a: Symbol() }]), {
    name: "TypeError",
    message: /^documents\[1\]\.a is a symbol/,
  });
  await assert.rejects(g.clustersearch.bulk("cluster", name, [{}, 1]), {
    name: "TypeError",
    message: "documents[1] must be an object, not a number",
  });
  await assert.rejects(g.clustersearch.bulk("cluster", name, {}), {
    name: "TypeError",
    message: "documents must be an array of objects, not an object",
  });
  assert.equal(await g.clustersearch.deleteIndex("cluster", name), false);
}
