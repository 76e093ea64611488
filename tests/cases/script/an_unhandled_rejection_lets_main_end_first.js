// exit: 1
// stderr: main has ended
// stderr: nobody listens
export async function main() {
  Promise.reject(new Error("nobody listens"));
  await new Promise((resolve) => setTimeout(resolve, 10));
  console.log("main has ended");
}
