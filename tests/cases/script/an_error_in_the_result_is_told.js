// stdout: {"failed":{"code":7}}
// console: the result's failed is an Error, of which JSON shows only its own enumerable members
export async function main() {
  return { failed: Object.assign(new Error("lost"), { code: 7 }) };
}
