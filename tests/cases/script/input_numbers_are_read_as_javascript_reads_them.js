// input: [9007199254740993, 1e400, 0.1, -0, 1E2]
export function main(values) {
  assert.deepEqual(values, [9007199254740992, Infinity, 0.1, -0, 100]);
}
