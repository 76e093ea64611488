// console: Map(0) {} Set(0) {}
// console: Map(2) { "a" => 1, { key: true } => [ 1 ] }
// console: Set(3) { 1, "two", { three: 3 } }
// console: { map: Map(1) { 1 => Set(1) { 2 } } }
// console: WeakMap { <items unknown> } WeakSet { <items unknown> }
export function main() {
  console.log(new Map(), new Set());
  console.log(new Map([["a", 1], [{ key: true }, [1]]]));
  console.log(new Set([1, "two", { three: 3 }]));
  console.log({ map: new Map([[1, new Set([2])]]) });
  console.log(new WeakMap(), new WeakSet());
}
