// exit: 1
// stdout:
// stderr: TypeError: the result's list[0].self is the result's list[0] again, a cycle, which JSON can't hold
export function main() {
  const cycle = {};
  cycle.self = cycle;
  return { list: [cycle] };
}
