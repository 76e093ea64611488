// stdout: "default"
function main() {
  return "main";
}
export default () => "default";
