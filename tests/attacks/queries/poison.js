// Documents that are bad for the index.

//# 16 MB of one word ends in time and memory
// exit: 0|3
// flags: --timeout 3s --max-memory 128M
export function main() { g.store.put("c", "k", "word ".repeat(3 << 20)); try { return g.store.search("c", "word").length; } catch (error) { return error.code; } }

//# 16 MB of words that are all different ends in time and memory
// exit: 0|3
// flags: --timeout 4s --max-memory 128M
export function main() { const parts = []; for (let i = 0; i < 1_800_000; i++) parts.push((i * 2654435761 % 4294967296).toString(36)); const text = parts.join(" ").slice(0, 15 << 20); parts.length = 0; g.store.put("c", "k", text); try { return g.store.search("c", "word").length; } catch (error) { return error.code; } }

//# 16 MB of one letter without a space is one word after another of 255
// exit: 0|3
// flags: --timeout 3s --max-memory 128M
export function main() { g.store.put("c", "k", "x".repeat(15 << 20)); try { return g.store.search("c", "x".repeat(255)).length; } catch (error) { return error.code; } }

//# a document with a hundred thousand fields
// exit: 0|3
// flags: --timeout 3s
export function main() { const wide = {}; for (let i = 0; i < 1e5; i++) wide[`field${i}`] = i; g.store.put("c", "k", wide); try { return g.store.search("c", "field99999:99999").length; } catch (error) { return error.code; } }

//# a document of a hundred thousand fields for g.search
// exit: 0|3
// flags: --timeout 3s
export function main() { const wide = { _collection: "c", _key: "k" }; for (let i = 0; i < 1e5; i++) wide[`field${i}`] = "v" + i; try { g.search.index(wide); return g.search.query("field99999:v99999").length; } catch (error) { return error.code; } }

//# a thousand documents with a hundred fields of their own each
// exit: 0|3
// flags: --timeout 4s
export function main() { for (let i = 0; i < 1000; i++) { const fields = { _collection: "c", _key: `k${i}` }; for (let j = 0; j < 100; j++) fields[`f${i}_${j}`] = "word"; g.search.index(fields); } try { return g.search.query("_exists_:f5_5 AND f9*:x").length; } catch (error) { return error.code; } }

//# a document nested 200 deep is found or was refused
// stdout: true
export function main() { let deep = "needle"; for (let i = 0; i < 200; i++) deep = i % 2 ? { a: deep } : [deep]; try { g.store.put("c", "k", deep); } catch (error) { return error instanceof TypeError || error instanceof RangeError; } return g.store.search("c", "needle").length === 1; }

//# a document nested 100,000 deep is found or was refused
// stdout: true
export function main() { let deep = "needle"; for (let i = 0; i < 1e5; i++) deep = { a: deep }; try { g.store.put("c", "k", deep); } catch (error) { return error instanceof TypeError || error instanceof RangeError; } return g.store.search("c", "needle").length === 1; }

//# names of fields with dots, NUL, control characters and 60 KB
// stdout: true
export function main() { const names = [".", "a.b", "a..b", ".a.", "\0", "a\0b", "\x1b[31m", "x".repeat(60_000), "", "\ud800", "_key", "_exists_", "*", "a:b", "\\"]; const data = Object.fromEntries(names.map((name) => [name, "needle"])); try { g.store.put("c", "k", data); } catch (error) { return error.code === "INVALID_ARGUMENT"; } return g.store.search("c", "needle").length === 1; }

//# a dotted path and a name with a dot are not mistaken for each other in a way that fails
// stdout: [1,1]
export function main() { g.store.put("c", "k1", { a: { b: "word" } }); g.store.put("c", "k2", { "a.b": "other" }); return [g.store.search("c", "a.b:word").length, g.store.search("c", "a.b:other").length]; }

//# paths that are 200 names of 300 characters long
// exit: 0|3
export function main() { let deep = "needle"; for (let i = 0; i < 200; i++) deep = { ["n".repeat(300)]: deep }; try { g.store.put("c", "k", deep); return g.store.search("c", "needle").length; } catch (error) { return error.code; } }

//# an array of 2 million numbers
// exit: 0|3
// flags: --timeout 4s --max-memory 128M
export function main() { g.store.put("c", "k", Array.from({ length: 2e6 }, (_, i) => i)); try { return g.store.search("c", "1999999").length; } catch (error) { return error.code; } }

//# numbers at every edge are found as they are shown
// stdout: []
export function main() { const edges = [0, -0, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, 2 ** 53, -(2 ** 53), 0.1, 123456789012345680000]; edges.forEach((n, i) => g.search.index({ _collection: "c", _key: `k${i}`, n })); return edges.filter((n) => g.search.query(`n:[${String(n).replace(/[-+]/g, "\\$&")} TO ${String(n).replace(/[-+]/g, "\\$&")}]`).length === 0); }

//# a text of 4 million combining marks, joiners and regional indicators
// exit: 0|3
// flags: --timeout 3s --max-memory 128M
export function main() { g.store.put("c", "k", "e" + "\u0301".repeat(1e6) + "👩" + "\u200d👩".repeat(3e5) + "🇩".repeat(3e5)); try { return g.store.search("c", "e*").length; } catch (error) { return error.code; } }

//# a text without any word, and one of lone surrogates
// exit: 0
export function main() { g.store.put("c", "a", "!!! --- ...".repeat(1000)); g.store.put("c", "b", "\ud800 \udc00 \ufffd"); g.store.put("c", "d", ""); g.store.put("c", "e", null); g.store.put("c", "f", []); g.store.put("c", "g", {}); return [g.store.search("c", "*:*").length, g.store.search("c", '"\ufffd"').length]; }

//# ten documents of 4 MB in one page of results
// exit: 0|3
// flags: --timeout 4s --max-memory 128M
export function main() { for (let i = 0; i < 10; i++) g.store.put("c", `k${i}`, { a: "word", b: "x".repeat(4 << 20) }); try { return g.store.search("c", "a:word").length; } catch (error) { return error.code; } }

//# a page of results of more than 64 MiB is refused
// exit: 0|3
// flags: --timeout 8s --max-memory 128M
export function main() { for (let i = 0; i < 70; i++) g.search.index({ _collection: "c", _key: `k${i}`, a: "word", b: "x".repeat(1 << 20) }); try { return g.search.query("a:word").length; } catch (error) { return error.code === "LIMIT" ? "LIMIT" : error.message; } }

//# a document is replaced a thousand times between two searches
// stdout: [1,0]
export function main() { for (let i = 0; i < 1000; i++) g.store.put("c", "k", `word n${i}`); const first = g.store.search("c", "n999").length; return [first, g.store.search("c", "n998").length]; }

//# a collection is cleared and filled again between searches
// stdout: true
export function main() { let right = true; for (let round = 0; round < 20; round++) { g.store.clear("c"); for (let i = 0; i < 20; i++) g.store.put("c", `k${i}`, `round${round}`); right &&= g.store.search("c", `round${round}`).length === 20 && (round === 0 || g.store.search("c", `round${round - 1}`).length === 0); } return right; }

//# two hundred collections are each searched once
// exit: 0|3
// flags: --timeout 5s
export function main() { let found = 0; for (let i = 0; i < 200; i++) { g.store.put(`c${i}`, "k", "word"); found += g.store.search(`c${i}`, "word").length; } return found; }

//# keys that look like queries are asked for by _key
// exit: 0
export function main() { const keys = ["a:b", "a b", "*", "?", "a\\b", '"', "(", "AND", "/a/", "[a TO b]", "~", "^", "-", "+", "!", "\u202e", "日本", "x".repeat(2048)]; for (const key of keys) g.search.index({ _collection: "c", _key: key, a: "word" }); return keys.filter((key) => { const query = "_key:" + key.replace(/[^a-z0-9日本\u202e]/g, "\\$&").replace(/^AND$/, "\\AND"); try { return g.search.query(query).length !== 1; } catch (error) { return true; } }); }

//# the first search of a collection of ten thousand documents is cut by the deadline and goes on in the next run
// runs: 2
// exit: 0|3
// flags: --timeout 1s
export function main() { if (g.store.count("c") < 3000) for (let i = 0; i < 3000; i++) g.store.put("c", `k${i}`, { text: `word number${i} `.repeat(30) }); return g.store.search("c", "number5").length; }
