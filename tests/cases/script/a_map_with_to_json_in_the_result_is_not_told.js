// stdout: {"map":[[1,2]],"list":[null]}
// console:
export function main() {
  return { map: Object.assign(new Map([[1, 2]]), { toJSON() { return [...this]; } }), list: [NaN] };
}
