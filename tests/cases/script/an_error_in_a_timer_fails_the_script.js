// exit: 1
// stderr: from the timer
// stderr: {file}:6
export async function main() {
  await new Promise((resolve) => {
    setTimeout(() => { throw new Error("from the timer"); }, 1);
    setTimeout(resolve, 10);
  });
}
