// exit: 1
// stderr: require
// stderr: store
export function main() {
  const fs = require("fs");
  return fs.readFileSync("/etc/passwd", "utf8");
}
