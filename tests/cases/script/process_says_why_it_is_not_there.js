// exit: 1
// stderr: process
// stderr: g.
export function main() {
  return process.env.HOME;
}
