// exit: 2
// stderr: {file} does not define main
function start() {
  function main() {}
  main();
}
