export function main() {
  crypto.getRandomValues(new Uint8Array(65536));
  assert.throws(() => crypto.getRandomValues(new Uint8Array(65537)), {
    name: "QuotaExceededError",
  });
  assert.throws(() => crypto.getRandomValues(new Float64Array(1)), { name: "TypeMismatchError" });
  assert.throws(() => crypto.getRandomValues([1]));
}
