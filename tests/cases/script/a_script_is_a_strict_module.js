export function main() {
  assert.throws(() => { undeclared = 1; }, { name: "ReferenceError" });
  assert.throws(() => { Object.freeze([]).push(1); }, { name: "TypeError" });
  assert.equal((function () { return this; })(), undefined);
}
