export function main() {
  class Point {
    x = 1;
    #hidden = 2;
    get y() {
      return 3;
    }
  }
  const values = [
    { date: new Date(0) },
    { gone: undefined, kept: 1 },
    { [Symbol("gone")]: 1 },
    { zero: -0 },
    {
      get read() {
        return [1];
      },
    },
    new String("s"),
    new Number(1),
    new Boolean(false),
    Object.create({ inherited: 1 }),
    Object.create(null),
    Math,
    new Point(),
    Object.assign([1], { extra: 1 }),
    Object.defineProperty({}, "hidden", { value: 1 }),
    { b: 1, 2: 2, a: 3, 1: 4 },
    { toJSON: (key) => ({ key }) },
    [{ toJSON: (key) => key }],
    new Proxy({ a: [1] }, {}),
    new Proxy([1, { b: 2 }], {}),
    [1e21, 1e-7, 5e-324, 0.1 + 0.2, 2 ** 53],
    "\u2028\ud800\u{1f600}\0\x7f",
    (function () {
      return arguments;
    })(1, 2),
  ];
  for (const value of values) {
    g.store.put("c", "k", value);
    assert.equal(JSON.stringify(g.store.get("c", "k").data), JSON.stringify(value));
  }
}
