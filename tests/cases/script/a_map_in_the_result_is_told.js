// stdout: {"data":{"tags":{},"more":[{}]}}
// console: the result's data.tags is a Map, which JSON shows as {} (the first of 2 such values)
export function main() {
  return { data: { tags: new Map([[1, 2]]), more: [new Set([1])] } };
}
