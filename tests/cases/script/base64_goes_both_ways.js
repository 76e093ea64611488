export function main() {
  assert.equal(btoa("Ada"), "QWRh");
  assert.equal(btoa("\xff\x00"), "/wA=");
  assert.equal(btoa(""), "");
  assert.equal(atob("QWRh"), "Ada");
  assert.equal(atob("/wA="), "\xff\x00");
  assert.equal(atob("/wA"), "\xff\x00");
  assert.equal(atob(" Q W\nR\th "), "Ada");
  const all = Array.from({ length: 256 }, (_, i) => String.fromCharCode(i)).join("");
  assert.equal(atob(btoa(all)), all);
  const long = all.repeat(4096);
  assert.ok(atob(btoa(long)) === long);
}
