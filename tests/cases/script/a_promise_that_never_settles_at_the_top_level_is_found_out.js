// exit: 1
// stderr: STALLED
await new Promise(() => {});
export function main() {}
