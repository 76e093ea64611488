// flags: --input-format text
// input: -
// stdin: one "line"
// stdin: {not json
// stdout: "one \"line\"\n{not json\n"
export function main(text) {
  return text;
}
