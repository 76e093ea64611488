// exit: 1
// stderr: broken at the top
// stderr: {file}:5
export function main() {}
throw new Error("broken at the top");
