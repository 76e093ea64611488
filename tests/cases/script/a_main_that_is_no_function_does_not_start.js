// exit: 2
// stderr: main
export const main = 5;
