// ghost run scripts/hello.js Ada

export function main(name = "world") {
  const visits = (g.store.get("visits", name)?.data ?? 0) + 1;
  g.store.put("visits", name, visits);
  return visits === 1 ? `Hello, ${name}!` : `Hello again, ${name}: this is visit ${visits}.`;
}
