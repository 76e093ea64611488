// stdout: "ready"
const state = await new Promise((resolve) => setTimeout(resolve, 5, "ready"));
export function main() {
  return state;
}
