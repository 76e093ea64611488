// flags: --no-workspace
// exit: 1
// stderr: NO_WORKSPACE
// stderr: {file}:6
export function main() {
  g.store.count("c");
}
