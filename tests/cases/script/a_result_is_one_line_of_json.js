// stdout: {"text":"ü\n\u001b","list":[1,2.5,null],"nested":{"a":true}}
export function main() {
  return { text: "ü\n\x1b", list: [1, 2.5, null], nested: { a: true } };
}
