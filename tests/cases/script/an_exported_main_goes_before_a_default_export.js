// stdout: "main"
export default function () {
  return "default";
}
export function main() {
  return "main";
}
