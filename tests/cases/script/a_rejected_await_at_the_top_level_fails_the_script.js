// exit: 1
// stderr: broken at the top
await Promise.reject(new Error("broken at the top"));
export function main() {}
