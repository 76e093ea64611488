// stdout: "\ud800"
export function main() {
  return "\ud800";
}
