// Turns Debian's package index into sample records: the command stands in README.md.
//
// Of each section every 32nd package is taken, by name, and at least one: a small index of the same shape as the whole.

const EVERY = 32;

export function main(index) {
  const packages = index
    .split("\n\n")
    .filter((paragraph) => paragraph.includes("Package:"))
    .map(fields)
    .sort((a, b) => compare(a.Section, b.Section) || compare(a.Package, b.Package));
  let position = 0;
  const chosen = packages.filter((entry, i) => {
    position = entry.Section === packages[i - 1]?.Section ? position + 1 : 0;
    return position % EVERY === 0;
  });
  return chosen.sort((a, b) => compare(a.Package, b.Package)).map(record);
}

function fields(paragraph) {
  const line = /^([\w-]+): (.*)$/gm;
  return Object.fromEntries(Array.from(paragraph.matchAll(line), ([, name, value]) => [name, value]));
}

function record(entry) {
  return {
    name: entry.Package,
    version: entry.Version,
    section: entry.Section,
    maintainer: entry.Maintainer,
    size: Number(entry.Size),
    dependencies: dependencies(entry),
    description: entry.Description,
  };
}

/** The names alone: of alternatives (`a | b`) the first, without version and architecture, each once. */
function dependencies(entry) {
  const relations = [entry["Pre-Depends"], entry.Depends].filter(Boolean).join(", ").split(", ");
  return [...new Set(relations.map((relation) => relation.match(/^[a-z0-9+.-]+/)?.[0]).filter(Boolean))];
}

function compare(a, b) {
  return a < b ? -1 : Number(a > b);
}
