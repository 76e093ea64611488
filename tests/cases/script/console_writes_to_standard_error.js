// stdout: "result"
// console: log
// console: info
// console: warn
// console: error
// console: debug
export function main() {
  for (const level of ["log", "info", "warn", "error", "debug"]) console[level](level);
  return "result";
}
