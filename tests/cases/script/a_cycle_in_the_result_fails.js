// exit: 1
// stdout:
// stderr: result
export function main() {
  const cycle = {};
  cycle.self = cycle;
  return cycle;
}
