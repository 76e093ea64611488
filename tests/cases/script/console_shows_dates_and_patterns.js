// console: 1970-01-01T00:00:00.000Z [ 2020-02-29T12:34:56.789Z ] Invalid Date
// console: /a+b/gi { pattern: /x/ }
export function main() {
  console.log(new Date(0), [new Date("2020-02-29T12:34:56.789Z")], new Date(NaN));
  console.log(/a+b/gi, { pattern: /x/ });
}
