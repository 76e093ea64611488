// exit: 1
// stdout:
// stderr lacks: panicked
export function main() {
  const error = new Error("hostile");
  for (const name of [
    "message",
    "name",
    "stack",
    "code",
    "cause",
    "details",
    "namespace",
    "method",
  ]) {
    Object.defineProperty(error, name, {
      get() {
        throw new Error(`${name} throws`);
      },
    });
  }
  throw error;
}
