// input: null
// stdout: [1,null]
export function main(...values) {
  return [values.length, values[0]];
}
