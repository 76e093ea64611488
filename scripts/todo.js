// ghost run scripts/todo.js add "Buy milk"
//
// Also: list, done NUMBER, remove NUMBER. The list is kept in the workspace.

const commands = { add, list, done, remove };

export function main(command = "list", ...words) {
  if (!Object.hasOwn(commands, command)) {
    throw new RangeError(`there is no command ${command}, there are ${Object.keys(commands).join(", ")}`);
  }
  return commands[command](words.join(" "));
}

function add(text) {
  if (!text) throw new RangeError("say what is to be done: add TEXT");
  // Keys are compared as text: with leading zeros they stand in the order of their numbers.
  const last = g.store.list("todo", { sort: "key", order: "desc", limit: 1 })[0]?.key ?? "0";
  g.store.put("todo", String(Number(last) + 1).padStart(6, "0"), { text, done: false });
  return list();
}

function list() {
  const items = g.store.list("todo", { sort: "key", order: "asc", limit: 1000 });
  return items.map(({ key, data }) => `${data.done ? "✓" : " "} ${Number(key)} ${data.text}`);
}

function done(number) {
  const item = find(number);
  g.store.put("todo", item.key, { ...item.data, done: true });
  return list();
}

function remove(number) {
  g.store.delete("todo", find(number).key);
  return list();
}

function find(number) {
  const item = g.store.get("todo", String(number).padStart(6, "0"));
  if (!item) throw new RangeError(`there is no number ${number}: see list`);
  return item;
}
