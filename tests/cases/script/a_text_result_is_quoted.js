// stdout: "text"
export function main() {
  return "text";
}
