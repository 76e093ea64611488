export async function main() {
  class Empty {}
  class Point {
    x = 1;
  }
  const refused = [
    [new Set([1]), "a Set"],
    [new Map([[1, 2]]), "a Map"],
    [/a/, "a RegExp"],
    [new Error("a"), "an Error"],
    [new WeakMap(), "a WeakMap"],
  ];
  for (const [value, what] of refused) {
    await assert.rejects(g.sqldb.scalar("db", "select $1::text", [value]), {
      name: "TypeError",
      message: `params[0] is ${what}, which JSON can't hold`,
    });
    await assert.rejects(g.sqldb.scalar("db", "select $1::text", [{ a: [value] }]), {
      name: "TypeError",
      message: `params[0].a[0] is ${what}, which JSON can't hold`,
    });
  }
  await assert.rejects(g.sqldb.scalar("db", "select $1::jsonb", [{ a: NaN }]), {
    name: "TypeError",
    message: "params[0].a is NaN, which JSON can't hold",
  });
  await assert.rejects(g.sqldb.scalar("db", "select $1::text", [Promise.resolve(1)]), {
    name: "TypeError",
    message: "params[0] is a Promise, which JSON can't hold: await it",
  });
  await assert.rejects(g.sqldb.scalar("db", "select $1::text", [new Empty()]), {
    name: "TypeError",
    message: /^params\[0\] must be a SQL value: .*, not an object without members of its own$/,
  });
  for (const value of [
    new Uint16Array([1]),
    new Int32Array(1),
    new Float64Array(1),
    new Uint8ClampedArray([1]),
    new DataView(new ArrayBuffer(1)),
  ]) {
    await assert.rejects(g.sqldb.scalar("db", "select $1::bytea", [value]), {
      name: "TypeError",
      message: /not a typed array of another type/,
    });
  }
  assert.equal(await g.sqldb.scalar("db", "select $1::jsonb::text", [new Point()]), '{"x": 1}');
  assert.equal(await g.sqldb.scalar("db", "select $1::jsonb::text", [{}]), "{}");
  assert.equal(await g.sqldb.scalar("db", "select $1::jsonb::text", [Object.create(null)]), "{}");
}
