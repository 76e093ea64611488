// stdout: "woken"
export async function main() {
  const { promise, resolve } = Promise.withResolvers();
  setTimeout(() => setTimeout(() => resolve("woken"), 5), 5);
  return await promise;
}
