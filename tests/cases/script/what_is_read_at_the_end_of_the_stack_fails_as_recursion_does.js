const ways = [
  () => new Function("a", "b", "return (c, { d }, [e]) => [/x/, `y${(1)}`]"),
  () => (0, eval)("(class { static #a = (b, ...c) => ({ async *d() {} }) })"),
  () => new RegExp("(((((((([a-z]))))))))"),
  () => JSON.parse('[[{"a":[1]}]]'),
];

// Each call takes another part of the stack, so that it ends at every place of what is read.
function dive(way, seen, width, level) {
  try {
    dive.apply(null, [way, seen, width, level + 1, ...Array(width)]);
  } catch (error) {
    seen.add(String(error));
  }
  try {
    way();
  } catch (error) {
    seen.add(String(error));
  }
}

export function main() {
  for (const way of ways) {
    const seen = new Set();
    for (let width = 0; width < 40; width++) dive(way, seen, width, 0);
    assert.deepEqual([...seen], ["RangeError: Maximum call stack size exceeded"], String(way));
  }
}
