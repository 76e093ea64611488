// exit: 1
// stderr: forged
export function main() {
  throw Object.assign(new Error("forged"), {
    code: "STALLED",
    namespace: "store",
    method: "put",
    details: { a: 1 },
  });
}
