export function main() {
  const ids = [setTimeout(() => {}, 1), setInterval(() => {}, 1), setTimeout(() => {}, 1)];
  assert.equal(new Set(ids).size, 3);
  for (const id of ids) assert.ok(Number.isInteger(id) && id > 0);
}
