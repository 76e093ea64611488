// stdout: "renamed"
function start() {
  return "renamed";
}
export { start as main };
