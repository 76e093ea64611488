export function main() {
  assert.equal(typeof Intl, "undefined");
}
