// exit: 1
// stderr: process
// stderr: store
export function main() {
  return process.env.HOME;
}
