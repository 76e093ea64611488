export async function main() {
  const name = "case-bad-ids";
  for (const id of ["", ".", "..", "a\0b", "a\nb", "\u007f", "x".repeat(513), "é".repeat(257)]) {
    const expected = { name: "RangeError", code: "INVALID_ARGUMENT", message: /^id / };
    await assert.rejects(g.clustersearch.index("cluster", name, id, {}), expected);
    await assert.rejects(g.clustersearch.get("cluster", name, id), expected);
    await assert.rejects(g.clustersearch.bulk("cluster", name, [{}, { _id: id }]), {
      ...expected,
      message: /^documents\[1\]\._id /,
    });
  }
  await assert.rejects(g.clustersearch.index("cluster", name, 5, {}), { name: "TypeError" });
  await assert.rejects(g.clustersearch.bulk("cluster", name, [{ _id: 5 }]), {
    name: "TypeError",
    message: "documents[0]._id must be a string, not a number",
  });
  await assert.rejects(g.clustersearch.index("cluster", name, "\ud800", {}), {
    name: "RangeError",
    message: /well-formed/,
  });
  assert.equal(await g.clustersearch.deleteIndex("cluster", name), false);
}
