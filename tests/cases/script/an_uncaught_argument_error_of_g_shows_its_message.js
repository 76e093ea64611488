// exit: 1
// stderr: RangeError
// stderr: key is 2049 bytes, the limit is 2048
// stderr: {file}:6
export function main() {
  g.store.put("c", "k".repeat(2049), 1);
}
