// exit: 1
// stderr: from main
export async function main() {
  Promise.reject(new Error("beside"));
  throw new Error("from main");
}
