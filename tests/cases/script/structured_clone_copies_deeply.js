export function main() {
  const original = {
    date: new Date(5),
    pattern: /a+/gi,
    map: new Map([["k", { v: 1 }]]),
    set: new Set([1, 2]),
    bytes: new Uint8Array([1, 2, 3]),
    list: [1, , undefined, null],
    big: 10n,
    nan: NaN,
    zero: -0,
    nested: { a: { b: 1 } },
    boxed: new String("x"),
  };
  original.self = original;
  const copy = structuredClone(original);
  assert.ok(copy !== original && copy.self === copy);
  assert.ok(copy.date instanceof Date && copy.date !== original.date);
  assert.equal(copy.date.getTime(), 5);
  assert.equal(String(copy.pattern), "/a+/gi");
  assert.deepEqual(copy.map.get("k"), { v: 1 });
  assert.ok(copy.map.get("k") !== original.map.get("k"));
  assert.deepEqual([...copy.set], [1, 2]);
  assert.ok(copy.bytes instanceof Uint8Array && copy.bytes.buffer !== original.bytes.buffer);
  assert.deepEqual([...copy.bytes], [1, 2, 3]);
  assert.equal(copy.list.length, 4);
  assert.ok(!(1 in copy.list));
  assert.equal(copy.big, 10n);
  assert.equal(copy.zero, -0);
  assert.deepEqual(copy.nested, { a: { b: 1 } });
}
