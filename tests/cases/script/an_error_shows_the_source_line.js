// exit: 1
// stderr: const found = missing.name; // this very line
export function main() {
  const missing = undefined;
  const found = missing.name; // this very line
  return found;
}
