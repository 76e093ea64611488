export function main() {
  for (const sort of ["", "KEY", "data", "updated-at", "created_at"]) {
    const error = assert.throws(() => g.store.list("c", { sort }), {
      code: "INVALID_ARGUMENT",
      method: "list",
    });
    assert.match(error.message, /sort/);
    assert.ok(error.message.includes(`"${sort}"`), error.message);
    assert.match(error.message, /key.*createdAt.*updatedAt/);
  }
  for (const order of ["", "ASC", "descending", "-1"]) {
    const error = assert.throws(() => g.store.list("c", { order }), {
      code: "INVALID_ARGUMENT",
      method: "list",
    });
    assert.match(error.message, /order/);
    assert.ok(error.message.includes(`"${order}"`), error.message);
    assert.match(error.message, /asc.*desc/);
  }
}
