// stdout: null
export function main() {
  return null;
}
