// stderr: .ghost
export function main() {
  g.store.count("c");
}
