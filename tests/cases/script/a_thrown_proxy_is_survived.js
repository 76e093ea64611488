// exit: 1
// stdout:
// stderr lacks: panicked
export function main() {
  const { proxy, revoke } = Proxy.revocable(new Error("proxied"), {});
  revoke();
  throw proxy;
}
