// console: 1 -0 0 1.5 NaN Infinity 1e+21 10n
// console: true false null undefined
// console: Symbol(s) Symbol() Symbol(Symbol.iterator)
export function main() {
  console.log(1, -0, 0, 1.5, NaN, Infinity, 1e21, 10n);
  console.log(true, false, null, undefined);
  console.log(Symbol("s"), Symbol(), Symbol.iterator);
}
