// exit: 1
// stderr: Deno
// stderr: store
export function main() {
  return Deno.readTextFileSync("/etc/passwd");
}
