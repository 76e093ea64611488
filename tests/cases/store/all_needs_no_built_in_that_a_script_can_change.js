// no prelude:
// stdout: ["a","b"]
export function main() {
  g.store.put("c", "a", 1);
  g.store.put("c", "b", 1);
  const own = () => {
    throw new Error("the script's own");
  };
  Array.prototype[Symbol.iterator] = own;
  Reflect.apply = own;
  Object.defineProperty(Object.prototype, "0", { set: own, configurable: true });
  const keys = g.store.all("c").map((document) => document.key).toArray();
  delete Object.prototype[0];
  return keys;
}
