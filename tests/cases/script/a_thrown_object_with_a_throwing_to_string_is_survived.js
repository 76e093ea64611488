// exit: 1
// stdout:
// stderr lacks: panicked
export function main() {
  throw {
    toString() {
      throw new Error("no text");
    },
    [Symbol.toPrimitive]() {
      throw new Error("no primitive");
    },
  };
}
