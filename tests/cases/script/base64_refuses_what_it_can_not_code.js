export function main() {
  assert.throws(() => btoa("中"), { name: "InvalidCharacterError" });
  for (const text of ["A", "A===", "Q*==", "QQ=Q", "="])
    assert.throws(() => atob(text), { name: "InvalidCharacterError" });
}
