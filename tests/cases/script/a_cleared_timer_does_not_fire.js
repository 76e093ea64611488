export async function main() {
  const fired = [];
  const first = setTimeout(() => fired.push("first"), 1);
  clearTimeout(first);
  const third = setTimeout(() => fired.push("third"), 3);
  setTimeout(() => clearTimeout(third), 1);
  for (const id of [undefined, null, 0, 99999, -1, "x", {}, NaN]) clearTimeout(id);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(fired, []);
}
