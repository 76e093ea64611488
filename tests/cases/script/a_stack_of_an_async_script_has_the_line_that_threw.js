// exit: 1
// stderr: after a wait
// stderr: {file}:6
async function later() {
  await new Promise((resolve) => setTimeout(resolve, 1));
  throw new Error("after a wait");
}
export async function main() {
  await later();
}
