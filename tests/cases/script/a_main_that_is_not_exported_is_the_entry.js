// stdout: "not exported"
function main() {
  return "not exported";
}
