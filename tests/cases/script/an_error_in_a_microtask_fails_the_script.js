// exit: 1
// stderr: from the microtask
export async function main() {
  queueMicrotask(() => { throw new Error("from the microtask"); });
  await new Promise((resolve) => setTimeout(resolve, 10));
}
