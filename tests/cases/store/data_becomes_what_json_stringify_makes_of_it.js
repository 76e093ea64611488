export function main() {
  const values = [
    { date: new Date(0) }, { gone: undefined, kept: 1 }, { gone() {}, [Symbol("gone")]: 1 }, [undefined, () => {}, Symbol("s")],
    { nan: NaN, infinite: -Infinity, zero: -0 }, new Map([[1, 2]]), new Set([1]), /x/, new Error("e"), [, 1],
    new String("s"), new Number(1), new Boolean(false), new Uint8Array([1, 2]), Object.create({ inherited: 1 }), new Date(NaN), Math,
    Object.assign([1], { extra: 1 }), Object.defineProperty({}, "hidden", { value: 1 }),
  ];
  for (const value of values) {
    g.store.put("c", "k", value);
    assert.equal(JSON.stringify(g.store.get("c", "k").data), JSON.stringify(value));
  }
}
