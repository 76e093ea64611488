// exit: 1
// stdout:
// stderr: TypeError: the result's orders[1].count is a BigInt, which JSON can't hold
export function main() {
  return { orders: [0, { count: 1n }] };
}
