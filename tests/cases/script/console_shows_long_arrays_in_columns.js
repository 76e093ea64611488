// console: [
// console:   1, 2, 3, 4,
// console:   5, 6, 7
// console: ]
// console: [
// console:     0,  37,  74, 111,  148,  185,
// console:   222, 259, 296, 333,  370,  407,
// console:   444, 481, 518, 555,  592,  629,
// console:   666, 703, 740, 777,  814,  851,
// console:   888, 925, 962, 999, 1036, 1073
// console: ]
// console: [
// console:   "alpha",   "beta",
// console:   "gamma",   "delta",
// console:   "epsilon", "zeta",
// console:   "eta",     "theta"
// console: ]
export function main() {
  console.log([1, 2, 3, 4, 5, 6, 7]);
  console.log(Array.from({ length: 30 }, (_, i) => i * 37));
  console.log(["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]);
}
