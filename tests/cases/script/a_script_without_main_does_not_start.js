// exit: 2
// stdout:
// stderr: {file} does not define main
export function start() {}
