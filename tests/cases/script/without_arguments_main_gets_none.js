// stdout: 0
export function main() {
  return arguments.length;
}
