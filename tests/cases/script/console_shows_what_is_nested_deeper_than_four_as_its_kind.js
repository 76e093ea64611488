// console: {
// console:   a: {
// console:     b: { c: { d: { e: [Object] } } }
// console:   }
// console: }
// console: [
// console:   [
// console:     [ [ [ [Array] ] ] ]
// console:   ]
// console: ]
export function main() {
  console.log({ a: { b: { c: { d: { e: { f: 1 } } } } } });
  console.log([[[[[[1]]]]]]);
}
