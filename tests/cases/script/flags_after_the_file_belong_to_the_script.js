// arguments: --timeout 1 --help -e --
// stdout: ["--timeout","1","--help","-e","--"]
export function main(...values) {
  return values;
}
