// console: []
// console: [
// console:   1,
// console:   "two",
// console:   [ 3, [ 4, [ 5 ] ] ]
// console: ]
// console: [ undefined, null ]
// console: [ <1 empty item>, 1, <2 empty items>, 2, <1 empty item> ]
// console: [ 1, 2, extra: true ]
// console: [ 1, 2, 3, 4, 5, 6 ]
export function main() {
  console.log([]);
  console.log([1, "two", [3, [4, [5]]]]);
  console.log([undefined, null]);
  console.log([, 1, , , 2, ,]);
  console.log(Object.assign([1, 2], { extra: true }));
  console.log([1, 2, 3, 4, 5, 6]);
}
