// exit: 1
// stdout:
// stderr lacks: panicked
export function main() {
  throw Object.assign(new Error("odd"), {
    name: 5,
    message: { a: 1 },
    stack: Symbol("stack"),
    code: [1],
    details: 1n,
  });
}
