// console: {
// console:   first: "a text that is rather long",
// console:   second: "another text that is rather long",
// console:   third: 3
// console: }
// console: {
// console:   list: [
// console:     { name: "Ada Lovelace", born: 1815 },
// console:     { name: "Grace Hopper", born: 1906 },
// console:     { name: "Alan Turing", born: 1912 }
// console:   ]
// console: }
export function main() {
  console.log({
    first: "a text that is rather long",
    second: "another text that is rather long",
    third: 3,
  });
  console.log({
    list: [
      { name: "Ada Lovelace", born: 1815 },
      { name: "Grace Hopper", born: 1906 },
      { name: "Alan Turing", born: 1912 },
    ],
  });
}
