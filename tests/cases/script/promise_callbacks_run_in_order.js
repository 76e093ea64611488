// stdout: ["sync","micro 1","micro 2","after await","timer"]
export async function main() {
  const order = [];
  const timer = new Promise((resolve) => setTimeout(() => { order.push("timer"); resolve(); }, 0));
  Promise.resolve().then(() => order.push("micro 1")).then(() => order.push("micro 2"));
  order.push("sync");
  await null;
  await null;
  order.push("after await");
  await timer;
  return order;
}
