export function main() {
  const error = new DOMException("far", "AbortError");
  assert.ok(error instanceof Error && Error.isError(error));
  assert.equal(String(error), "AbortError: far");
  assert.equal(error.code, DOMException.ABORT_ERR);
  for (const [call, name, code] of [
    [() => atob("A"), "InvalidCharacterError", 5],
    [() => btoa("中"), "InvalidCharacterError", 5],
    [() => structuredClone(() => {}), "DataCloneError", 25],
    [() => crypto.getRandomValues(new Float64Array(1)), "TypeMismatchError", 17],
    [() => crypto.getRandomValues(new Uint8Array(65537)), "QuotaExceededError", 22],
  ]) {
    const thrown = assert.throws(call, { name, code });
    assert.ok(thrown instanceof DOMException);
  }
}
