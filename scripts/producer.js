// Queues jobs for worker.js: ghost run scripts/producer.js 20
// Every seventh address is wrong, so its job fails; every third job is urgent.

export function main(count = "20") {
  for (let number = 1; number <= Number(count); number++) {
    const to = number % 7 === 0 ? "nobody" : `reader${number}@example.org`;
    const priority = number % 3 === 0 ? 2 : 1;
    g.queue.enqueue("mails", { number, to }, { priority, maxRetries: 2 });
  }
  return { pending: g.queue.count("mails"), dead: g.queue.deadLetter("mails", { limit: 1000 }).length };
}
