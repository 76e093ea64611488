// console: [String: "text"] [Number: -0] [Boolean: true] [BigInt: 1n] [Symbol: Symbol(s)]
export function main() {
  console.log(
    new String("text"),
    new Number(-0),
    new Boolean(true),
    Object(1n),
    Object(Symbol("s")),
  );
}
