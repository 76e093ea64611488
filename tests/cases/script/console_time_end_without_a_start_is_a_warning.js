// stderr: nowhere
export function main() {
  console.timeEnd("nowhere");
}
