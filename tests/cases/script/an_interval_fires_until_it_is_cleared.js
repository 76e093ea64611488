export async function main() {
  let count = 0;
  await new Promise((resolve) => {
    const id = setInterval(
      (step) => {
        count += step;
        if (count === 3) {
          clearInterval(id);
          resolve();
        }
      },
      2,
      1,
    );
  });
  await new Promise((resolve) => setTimeout(resolve, 15));
  assert.equal(count, 3);
}
