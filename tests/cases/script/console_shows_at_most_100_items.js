// console: [
// console:    0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11,
// console:   12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
// console:   24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35,
// console:   36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
// console:   48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59,
// console:   60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71,
// console:   72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
// console:   84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95,
// console:   96, 97, 98, 99,
// console:   ... 2 more items
// console: ]
// console: 101
export function main() {
  console.log(Array.from({ length: 102 }, (_, i) => i));
  console.log(new Set(Array.from({ length: 101 }, (_, i) => i)).size);
}
