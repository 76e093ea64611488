// console: a
// console: b
export function main() {
  const { log } = console;
  log("a");
  ["b"].forEach((text) => log(text));
}
