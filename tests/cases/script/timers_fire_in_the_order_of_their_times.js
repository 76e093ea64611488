// stdout: ["microtask","0 first","0 second","5","10","20"]
export async function main() {
  const order = [];
  setTimeout(() => order.push("20"), 20);
  setTimeout(() => order.push("5"), 5);
  setTimeout(() => order.push("0 first"), 0);
  setTimeout(() => order.push("10"), 10);
  setTimeout(() => order.push("0 second"));
  queueMicrotask(() => order.push("microtask"));
  await new Promise((resolve) => setTimeout(resolve, 40));
  return order;
}
