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
  // Who only looks for the last item gets the number that somebody else gets at the same time.
  const { data: number } = g.store.update("todo-numbers", "last", (last = lastOfList()) => last + 1);
  g.store.put("todo", keyOf(number), { text, done: false });
  return list();
}

function list() {
  const items = g.store.all("todo");
  return items.map(({ key, data }) => `${data.done ? "✓" : " "} ${Number(key)} ${data.text}`).toArray();
}

function done(number) {
  change(number, (item) => ({ ...item, done: true }));
  return list();
}

function remove(number) {
  change(number, () => undefined);
  return list();
}

function change(number, makeNew) {
  g.store.update("todo", keyOf(number), (item) => {
    if (!item) throw new RangeError(`there is no number ${number}: see list`);
    return makeNew(item);
  });
}

// Keys are compared as text: with leading zeros they stand in the order of their numbers.
function keyOf(number) {
  return String(number).padStart(6, "0");
}

function lastOfList() {
  return Number(g.store.list("todo", { sort: "key", limit: 1 })[0]?.key ?? 0);
}
