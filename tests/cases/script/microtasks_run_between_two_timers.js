// stdout: ["first","microtask of first","second"]
export async function main() {
  const order = [];
  setTimeout(() => {
    order.push("first");
    queueMicrotask(() => order.push("microtask of first"));
  }, 1);
  setTimeout(() => order.push("second"), 1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  return order;
}
