// stdout: {}
// console: the result is a Set, which JSON shows as {}
export function main() {
  return new Set([1]);
}
