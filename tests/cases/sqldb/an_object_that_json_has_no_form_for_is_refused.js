export async function main() {
  class Empty {}
  class Point { x = 1; }
  for (const value of [new Set([1]), new Map([[1, 2]]), Promise.resolve(1), /a/, new Error("a"), new WeakMap(), new Empty()]) {
    await assert.rejects(g.sqldb.scalar("db", "select $1::text", [value]), { name: "TypeError", message: /^params\[0\] must be a value that SQL has: .*, not an object without members of its own, as a Map, a Set or a Promise is$/ });
  }
  for (const value of [new Uint16Array([1]), new Int32Array(1), new Float64Array(1), new Uint8ClampedArray([1]), new DataView(new ArrayBuffer(1))]) {
    await assert.rejects(g.sqldb.scalar("db", "select $1::bytea", [value]), { name: "TypeError", message: /not a typed array of another type/ });
  }
  assert.equal(await g.sqldb.scalar("db", "select $1::jsonb::text", [new Point()]), '{"x": 1}');
  assert.equal(await g.sqldb.scalar("db", "select $1::jsonb::text", [{}]), "{}");
  assert.equal(await g.sqldb.scalar("db", "select $1::jsonb::text", [Object.create(null)]), "{}");
}
