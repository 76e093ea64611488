export async function main() {
  const place = ["docs", "cases", "find"];
  const people = [["Ada", 36], ["Alan", 41], ["Grace", 85]];
  const documents = people.map(([name, age], _id) => ({ _id, name, age }));
  await g.documentdb.insertMany(...place, documents);
  const byId = { sort: { _id: 1 } };
  assert.deepEqual(await g.documentdb.find(...place, {}, byId), documents);
  assert.deepEqual(await g.documentdb.find(...place, null, byId), documents);
  assert.equal((await g.documentdb.find(...place)).length, 3);
  const old = await g.documentdb.find(...place, { age: { $gt: 40 } }, { sort: { age: -1 } });
  assert.deepEqual(old.map((person) => person.name), ["Grace", "Alan"]);
  const page = await g.documentdb.find(...place, {}, { sort: { _id: 1 }, skip: 1, limit: 1 });
  assert.deepEqual(page, [documents[1]]);
  const all = await g.documentdb.find(...place, {}, { sort: { _id: 1 }, limit: 0 });
  assert.deepEqual(all, documents);
  const names = await g.documentdb.find(...place, {}, {
    sort: { _id: -1 },
    projection: { name: 1, _id: 0 },
  });
  assert.deepEqual(names, [{ name: "Grace" }, { name: "Alan" }, { name: "Ada" }]);
  assert.deepEqual(await g.documentdb.find(...place, { name: "nobody" }), []);
  assert.deepEqual(await g.documentdb.find("docs", "cases", "no_such_collection"), []);
}
