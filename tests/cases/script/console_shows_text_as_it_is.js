// console: plain
// console: a b c "quoted"
// console:
// console:
// console: two
// console: lines
// console: ümläut 中文 😀
export function main() {
  console.log("plain");
  console.log("a", "b", 'c "quoted"');
  console.log();
  console.log("");
  console.log("two\nlines");
  console.log("ümläut 中文 \u{1F600}");
}
