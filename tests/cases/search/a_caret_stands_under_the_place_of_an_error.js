export function main() {
  const error = assert.throws(() => g.search.query('title:"日本 😀" AND (tea'));
  assert.equal(error.code, "QUERY_SYNTAX");
  const [, query, caret] = error.message.split("\n");
  assert.equal(query, '  title:"日本 😀" AND (tea');
  assert.equal(caret.trim(), "^");
  assert.equal(error.details.position, 'title:"日本 😀" AND ('.length - 1);
  assert.equal([error.namespace, error.method].join("."), "search.query");
}
