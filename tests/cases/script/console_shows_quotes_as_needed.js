// console: [ "plain", "it's", 'say "x"', `both ' and "`, "all ' \" `" ]
// console: { text: "line\nbreak\ttab\\ backslash" }
export function main() {
  console.log(["plain", "it's", 'say "x"', "both ' and \"", "all ' \" `"]);
  console.log({ text: "line\nbreak\ttab\\ backslash" });
}
