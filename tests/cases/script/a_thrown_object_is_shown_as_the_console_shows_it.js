// exit: 1
// stderr: { status: 404, reason: "gone" }
export function main() {
  throw { status: 404, reason: "gone" };
}
