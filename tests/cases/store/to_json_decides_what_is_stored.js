export function main() {
  const keys = [];
  class Money {
    constructor(cents) { this.cents = cents; }
    toJSON(key) { keys.push(key); return `${this.cents / 100} EUR`; }
  }
  g.store.put("c", "itself", new Money(250));
  g.store.put("c", "member", { price: new Money(100), list: [new Money(50)] });
  assert.equal(g.store.get("c", "itself").data, "2.5 EUR");
  assert.deepEqual(g.store.get("c", "member").data, { price: "1 EUR", list: ["0.5 EUR"] });
  assert.deepEqual(keys, ["", "price", "0"]);
}
