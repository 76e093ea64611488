// exit: 2
// stderr: {file} does not define main
const text = "function main() {}"; // function main() {}
const object = { main: text };
