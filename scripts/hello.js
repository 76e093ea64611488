// ghost run scripts/hello.js Ada

export function main(name = "world") {
  const { data: visits } = g.store.update("visits", name, (visits = 0) => visits + 1);
  return visits === 1 ? `Hello, ${name}!` : `Hello again, ${name}: this is visit ${visits}.`;
}
