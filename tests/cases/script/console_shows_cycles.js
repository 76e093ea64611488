// console: <ref *1> { name: "loop", self: [Circular *1], list: [ [Circular *1] ] }
// console: { a: { n: 1 }, b: { n: 1 } }
export function main() {
  const cycle = { name: "loop" };
  cycle.self = cycle;
  cycle.list = [cycle];
  console.log(cycle);
  const shared = { n: 1 };
  console.log({ a: shared, b: shared });
}
