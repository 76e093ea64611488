// exit: 1
// stderr: STALLED
export async function main() {
  const id = setInterval(() => {}, 1);
  setTimeout(() => clearInterval(id), 5);
  await new Promise(() => {});
}
