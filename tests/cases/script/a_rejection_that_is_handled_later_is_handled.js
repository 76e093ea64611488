// stdout: "handled"
export async function main() {
  const promise = Promise.reject(new Error("handled in time"));
  await new Promise((resolve) => setTimeout(resolve, 5));
  await promise.catch(() => {});
  return "handled";
}
