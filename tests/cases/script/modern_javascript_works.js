export async function main() {
  class Counter {
    #count = 0;
    static made = 0;
    static {
      Counter.made++;
    }
    increment() {
      return ++this.#count;
    }
    static isCounter(value) {
      return #count in value;
    }
  }
  assert.equal(new Counter().increment(), 1);
  assert.ok(Counter.isCounter(new Counter()) && !Counter.isCounter({}));
  let value = null;
  value ??= { a: [1, 2, 3] };
  assert.equal(value?.a?.at(-1), 3);
  assert.deepEqual([3, 1, 2].toSorted(), [1, 2, 3]);
  assert.deepEqual(Object.groupBy([1, 2, 3], (n) => (n % 2 ? "odd" : "even")).odd, [1, 3]);
  assert.equal("2024-02-29".match(/(?<year>\d{4})-(?<month>\d\d)/).groups.month, "02");
  assert.equal("price: 5".replace(/(?<=: )\d/u, "6"), "price: 6");
  assert.equal(2n ** 64n, 18446744073709551616n);
  assert.equal("a-b-c".replaceAll("-", ""), "abc");
  const { promise, resolve } = Promise.withResolvers();
  setTimeout(resolve, 1, "resolved");
  assert.equal(await promise, "resolved");
  async function* count() {
    yield 1;
    yield 2;
  }
  const seen = [];
  for await (const n of count()) seen.push(n);
  assert.deepEqual(seen, [1, 2]);
  assert.deepEqual(
    (await Promise.allSettled([1, Promise.reject(2)])).map((result) => result.status),
    ["fulfilled", "rejected"],
  );
  assert.equal(new Error("outer", { cause: "inner" }).cause, "inner");
  assert.equal(new Set([1, 2]).union(new Set([3])).size, 3);
}
