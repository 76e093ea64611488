// stderr: before
// stderr: after
export function main() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const trap = () => {
    throw new Error("trap");
  };
  console.log("before");
  console.log({
    get a() {
      throw new Error("getter");
    },
  });
  console.log(proxy, [proxy], { proxy });
  console.log(
    new Proxy(
      { a: 1 },
      { get: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap },
    ),
  );
  console.log({
    get [Symbol.toStringTag]() {
      throw new Error("tag");
    },
  });
  console.log(
    Object.defineProperty(new Error("e"), "stack", {
      get() {
        throw new Error("stack");
      },
    }),
  );
  console.log("%s", {
    toString() {
      throw new Error("text");
    },
  });
  console.log("after");
}
