// stdout: 2
export async function main() {
  const results = await Promise.allSettled([Promise.reject(1), Promise.reject(2)]);
  return results.length;
}
