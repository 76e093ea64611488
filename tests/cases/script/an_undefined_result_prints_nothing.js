// stdout:
// console:
export function main() {}
