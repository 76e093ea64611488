export async function main() {
  for (const time of [-5, NaN, undefined, null, "1", -Infinity, {}])
    await new Promise((resolve) => setTimeout(resolve, time));
}
