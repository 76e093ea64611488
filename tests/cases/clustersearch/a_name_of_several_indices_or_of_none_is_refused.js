export async function main() {
  const names = [
    "",
    ".",
    "..",
    "_all",
    "*",
    "case-*",
    "a,b",
    "-a",
    "_a",
    "+a",
    "a/b",
    "../a",
    "a\\b",
    "a?b",
    'a"',
    "<a>",
    "a|b",
    "a#b",
    "a b",
    "other:a",
    "Upper",
    "a\0",
    "a\nb",
    "%2F",
    "x".repeat(256),
    "é".repeat(128),
  ];
  const methods = [
    (name) => g.clustersearch.createIndex("cluster", name),
    (name) => g.clustersearch.deleteIndex("cluster", name),
    (name) => g.clustersearch.index("cluster", name, "1", {}),
    (name) => g.clustersearch.get("cluster", name, "1"),
    (name) => g.clustersearch.bulk("cluster", name, [{}]),
    (name) => g.clustersearch.search("cluster", name, {}),
  ];
  for (const name of names) {
    for (const method of methods) {
      await assert.rejects(method(name), {
        name: "RangeError",
        code: "INVALID_ARGUMENT",
        message: /^indexName /,
      });
    }
  }
}
