// exit: 1
// stderr: AggregateError
export async function main() {
  await Promise.any([Promise.reject(new Error("one")), Promise.reject(new Error("two"))]);
}
