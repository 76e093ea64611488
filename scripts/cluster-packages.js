// ghost run --input @scripts/data/packages.jsonl scripts/cluster-packages.js
//
// Keeps an index of package records in a search cluster (the secret `cluster`) up to date: sends only the records that are
// new or have changed since the last time, and returns an overview. What the cluster refuses goes to the queue
// "cluster-refused" with the reason, and is sent again the next time. To search what was sent:
//
// ghost run --input null scripts/cluster-packages.js search WORD...

const conn = "cluster";
const index = "ghost-packages";

const mapping = {
  settings: { number_of_shards: 1, number_of_replicas: 0 },
  mappings: {
    properties: {
      name: { type: "keyword" },
      section: { type: "keyword" },
      size: { type: "long" },
      description: { type: "text" },
    },
  },
};

export async function main(records, command, ...words) {
  if (command === "search") return search(words.join(" "));
  if (!(await g.clustersearch.ping(conn))) throw new Error("the search cluster can't be reached");
  // In a new index, everything is new.
  if (await g.clustersearch.createIndex(conn, index, mapping)) g.store.clear("cluster-packages");
  const changed = records.filter(isChanged);
  const result = await store(changed);
  return { sent: result.total, stored: result.successful, refused: result.failed, ...(await overview()) };
}

function isChanged(record) {
  const known = g.store.get("cluster-packages", record.name)?.data;
  return known !== record.version;
}

async function store(records) {
  const documents = records.map((record) => ({ _id: record.name, ...record }));
  const result = await g.clustersearch.bulk(conn, index, documents, 500, { refresh: true });
  const refused = new Set();
  for (const { position, status, reason } of result.errors) {
    refused.add(position);
    g.queue.enqueue("cluster-refused", { name: records[position].name, status, reason });
  }
  // Only the first 100 refusals are known one by one: with more, everything is sent again the next time.
  if (result.failed === refused.size) {
    records.forEach((record, position) => {
      if (!refused.has(position)) g.store.put("cluster-packages", record.name, record.version);
    });
  }
  return result;
}

async function overview() {
  const { total, aggregations } = await g.clustersearch.search(conn, index, {
    size: 0,
    track_total_hits: true,
    aggs: {
      sections: { terms: { field: "section", size: 3 }, aggs: { size: { sum: { field: "size" } } } },
    },
  });
  const sections = aggregations.sections.buckets.map(({ key, doc_count: packages, size }) => ({
    section: key,
    packages,
    bytes: size.value,
  }));
  return { packages: total.value, sections };
}

async function search(text) {
  const query = { multi_match: { query: text, fields: ["name^3", "description"] } };
  const { hits } = await g.clustersearch.search(conn, index, { query, size: 5 });
  return hits.map(({ _source: { name, description } }) => ({ name, description }));
}
