// exit: 1
// stdout:
// stderr: cycle
export function main() {
  const cycle = {};
  cycle.self = cycle;
  return cycle;
}
