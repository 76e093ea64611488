export async function main() {
  const values = await new Promise((resolve) =>
    setTimeout((...values) => resolve(values), 1, "a", 2, null),
  );
  assert.deepEqual(values, ["a", 2, null]);
}
