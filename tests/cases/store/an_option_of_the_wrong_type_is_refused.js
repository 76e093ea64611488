export function main() {
  for (const name of ["limit", "offset"]) {
    for (const value of [
      "10",
      true,
      {},
      [5],
      10n,
      Symbol("ten"),
      () => 10,
      new Number(10),
      new Date(),
    ]) {
      assert.throws(() => g.store.list("c", { [name]: value }), {
        name: "TypeError",
        code: "INVALID_ARGUMENT",
        namespace: "store",
        method: "list",
        message: new RegExp(name),
      });
    }
  }
  for (const name of ["sort", "order"]) {
    for (const value of [1, true, {}, ["asc"], Symbol("asc"), () => "asc"]) {
      assert.throws(() => g.store.list("c", { [name]: value }), {
        name: "TypeError",
        code: "INVALID_ARGUMENT",
        namespace: "store",
        method: "list",
        message: new RegExp(name),
      });
    }
  }
}
