// stdout: "awaited"
export async function main() {
  await null;
  return "awaited";
}
