// ghost run scripts/orders.js
//
// Brings the orders of a PostgreSQL database to everywhere else that needs them: what changed since the last run goes to the
// store, from there into a search cluster, and a report of the run to a bucket. An order that the cluster refuses goes to the
// queue "orders-failed" with the reason, and is tried again by `retry`. The secrets are `db`, `cluster` and `store`; the table
// is orders (id, customer, weight, changed). A run that fails half-way is repeated from where it was.

const index = "ghost-orders";
const bucket = "ghost-orders";

const mapping = {
  settings: { number_of_shards: 1, number_of_replicas: 0 },
  mappings: { properties: { customer: { type: "keyword" }, weight: { type: "double" }, changed: { type: "date" } } },
};

export async function main(command = "run") {
  if (command === "retry") return retry();
  const read = await readChanges();
  const result = await indexPending();
  const report = { read, indexed: result.successful, failed: result.failed, at: new Date().toISOString() };
  await store(report);
  return report;
}

// 1. Rows from PostgreSQL to the store. The moment of the last row says where the next run begins.
async function readChanges() {
  const since = g.store.get("orders-state", "since")?.data ?? "-infinity";
  const rows = await g.sqldb.query(
    "db",
    "select id::text, customer, weight, changed from orders where changed > $1 order by changed, id",
    [since],
  );
  for (const row of rows) {
    g.store.put("orders", row.id, row);
    g.store.put("orders-pending", row.id, true);
  }
  if (rows.length > 0) g.store.put("orders-state", "since", rows.at(-1).changed);
  return rows.length;
}

// 2. From the store to the cluster. Storing an order twice has the same result.
async function indexPending() {
  await g.clustersearch.createIndex("cluster", index, mapping);
  const pending = [...g.store.all("orders-pending")].map(({ key }) => key);
  const documents = pending.map((id) => {
    const { id: _id, ...order } = g.store.get("orders", id).data;
    return { _id, ...order };
  });
  const result = await g.clustersearch.bulk("cluster", index, documents, 500, { refresh: true });
  // 3. What failed goes to the queue. Only the first 100 are known one by one; the others stay pending.
  const failed = new Map(result.errors.map((error) => [error.position, error]));
  pending.forEach((id, position) => {
    const error = failed.get(position);
    if (error) g.queue.enqueue("orders-failed", { id, status: error.status, reason: error.reason });
    if (error || result.failed === failed.size) g.store.delete("orders-pending", id);
  });
  return result;
}

// 4. The report to the bucket, under the time of the run.
async function store(report) {
  await g.objectstore.createBucket("store", bucket);
  const key = `reports/${report.at}.json`;
  await g.objectstore.putObjectText("store", bucket, key, JSON.stringify(report), "application/json");
}

// Marks the failed orders as pending again, for the next run.
function retry() {
  let retried = 0;
  for (let job; (job = g.queue.dequeue("orders-failed")); retried += 1) {
    g.store.put("orders-pending", job.data.id, true);
    g.queue.commit(job.id);
  }
  return { retried };
}
