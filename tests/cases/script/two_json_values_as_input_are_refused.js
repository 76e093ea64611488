// input: 1 2
// exit: 2
// stdout:
export function main() {}
