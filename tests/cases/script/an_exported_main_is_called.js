// stdout: "called"
export function main() {
  return "called";
}
