export function main() {
  const numbers = [
    123456789012345680000, -5.082154889859905e45, 3.7791772153588734e-221, 2.2636160801034834e27,
    1.478295057548926e74, 0.1, 5e-324, 1.7976931348623157e308,
  ];
  numbers.forEach((n, at) => {
    g.search.index({ _collection: "numbers", _key: `k${at}`, n });
    g.store.put("numbers", `k${at}`, { n });
  });
  for (const n of numbers) {
    const itself = String(n).replace(/[-+]/g, "\\$&");
    const query = `n:[${itself} TO ${itself}]`;
    assert.equal(g.search.query(query).length, 1, query);
    assert.equal(g.store.search("numbers", query).length, 1, query);
  }
}
