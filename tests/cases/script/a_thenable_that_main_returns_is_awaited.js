// stdout: "then"
export function main() {
  return { then(resolve) { resolve("then"); } };
}
