export function main() {
  function named() {}
  assert.equal(String(named), "function named() {\n    [native code]\n}");
}
