// ghost run --input @scripts/data/README.md --input-format text scripts/wordcount.js
//
// Counts lines, words and characters of a text, and its most frequent words.

export function main(text) {
  const words = text.toLowerCase().match(/\p{L}[\p{L}\p{M}'’-]*/gu) ?? [];
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const frequent = [...counts].sort(([, a], [, b]) => b - a).slice(0, 10);
  return {
    lines: text.split("\n").length - 1,
    words: words.length,
    characters: [...text].length,
    mostFrequent: Object.fromEntries(frequent),
  };
}
