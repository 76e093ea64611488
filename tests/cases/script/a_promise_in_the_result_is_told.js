// stdout: [{},1]
// console: the result's [0] is a Promise, which JSON shows as {}: await it
export function main() {
  return [Promise.resolve(1), 1];
}
