// Works off what producer.js queues, until there is nothing for a second: ghost run scripts/worker.js
// Start several at once: each job goes to one of them. A job that fails is tried again, and ends as a dead letter.

export async function main(idle = "1000") {
  const report = { sent: 0, failed: 0 };
  for (let job; (job = await g.queue.waitForItem("mails", { timeoutMs: Number(idle), leaseMs: 30_000 })); ) {
    try {
      await send(job.data);
      g.queue.commit(job.id);
      report.sent++;
    } catch (error) {
      g.queue.abort(job.id, error);
      report.failed++;
    }
  }
  return report;
}

// Stands for what the job is really about. It may happen twice, so it is made so that twice is as good as once.
async function send({ number, to }) {
  await new Promise((resolve) => setTimeout(resolve, 5)); // as long as it takes
  if (!to.includes("@")) throw new Error(`no address: ${to}`);
  g.store.put("sent", String(number), { to });
}
