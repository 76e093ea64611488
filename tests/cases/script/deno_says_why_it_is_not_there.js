// exit: 1
// stderr: Deno
// stderr: g.
export function main() {
  return Deno.readTextFileSync("/etc/passwd");
}
