// Queries that cost more than they look like. Each prints what came of it, and must end in time.

//# fifty wildcards in one word
// exit: 0|3
// flags: --timeout 2s
export function main() { for (let i = 0; i < 500; i++) g.search.index({ _collection: "c", _key: `k${i}`, a: `word${i} ${"a".repeat(200)}` }); return g.search.query("a*".repeat(50) + "b").length; }

//# wildcards of every word are refused when they are more than 1,024
// stdout: "LIMIT"
export function main() { const words = []; for (let i = 0; i < 3000; i++) words.push(`w${i}`); g.search.index({ _collection: "c", _key: "k", a: words.join(" ") }); try { g.search.query("w*"); } catch (error) { return error.code; } }

//# a thousand prefixes that each expand to a thousand words
// exit: 0|3
// flags: --timeout 2s
export function main() {
  for (let i = 0; i < 26; i++) g.search.index({ _collection: "c", _key: `k${i}`, a: Array.from({ length: 900 }, (_, j) => String.fromCharCode(97 + i) + j).join(" ") });
  try { return g.search.query(Array.from({ length: 1000 }, (_, i) => String.fromCharCode(97 + (i % 26)) + "*").join(" ")).length; } catch (error) { return error.code; }
}

//# question marks by the thousand
// exit: 0|3
export function main() { g.search.index({ _collection: "c", _key: "k", a: "x".repeat(255) }); const found = []; for (const query of ["?".repeat(255), "?".repeat(8000), "?*".repeat(2000), "*?".repeat(100) + "x"]) { try { found.push(g.search.query(query).length); } catch (error) { found.push(error.code); } } return found; }

//# fuzzy words of 255 characters
// exit: 0|3
// flags: --timeout 2s
export function main() { for (let i = 0; i < 200; i++) g.search.index({ _collection: "c", _key: `k${i}`, a: "ab".repeat(120) + i }); return g.search.query(Array.from({ length: 100 }, (_, i) => "ab".repeat(120) + i + "~2").join(" ").slice(0, 8000).replace(/[^~]*$/, "2")).length; }

//# fuzzy words with every distance that is none
// stdout: true
export function main() { g.search.index({ _collection: "c", _key: "k", a: "word" }); return ["word~3", "word~99999999999", "word~-1", "word~0.99", "word~1.5", "word~~", "word~1~1", "word~x", "~", "~2", '"word"~-1', '"word"~99999999999', '"word"~x'].every((query) => { try { g.search.query(query); return true; } catch (error) { return ["LIMIT", "QUERY_SYNTAX"].includes(error.code); } }); }

//# a regular expression with nested repetition
// exit: 0|3
// flags: --timeout 2s
export function main() { for (let i = 0; i < 500; i++) g.search.index({ _collection: "c", _key: `k${i}`, a: "a".repeat(250) + i }); const seen = []; for (const query of ["/(a*)*b/", "/(a|aa)+$/", "/((a{1,50}){1,50}){1,50}b/", "/(.*)(.*)(.*)(.*)(.*)x/", "/[a-z]{200,250}/"]) { try { seen.push(g.search.query(query).length); } catch (error) { seen.push(error.code); } } return seen; }

//# regular expressions that blow up when they are compiled
// exit: 0
// flags: --timeout 3s
export function main() { g.search.index({ _collection: "c", _key: "k", a: "word" }); return ["/.{1000}{1000}/", "/(((((a{100}){100}){100}){100}){100})/", "/[\\p{L}]{500}/", "/(?:.?){200}.{200}/", "/\\w{9999}/", "/(a|b|c|d|e)*{3,1000}/", "/(?i)ß{255}/", "/^$/", "/(?=a)a/", "/\\1(a)/"].map((query) => { try { return g.search.query(query).length; } catch (error) { return error.code; } }); }

//# parentheses nested up to the limit, beyond it and without an end
// stdout: ["found","LIMIT","QUERY_SYNTAX","QUERY_SYNTAX","LIMIT"]
export function main() { g.search.index({ _collection: "c", _key: "k", a: "word" }); return ["(".repeat(60) + "word" + ")".repeat(60), "(".repeat(100) + "word" + ")".repeat(100), "(".repeat(30), "word" + ")".repeat(30), "(".repeat(4000) + "word" + ")".repeat(4000)].map((query) => { try { return g.search.query(query).length ? "found" : "none"; } catch (error) { return error.code; } }); }

//# negations of negations, nested
// exit: 0
export function main() { for (let i = 0; i < 100; i++) g.search.index({ _collection: "c", _key: `k${i}`, a: `word w${i}` }); return ["NOT ".repeat(60) + "word", "-(".repeat(60) + "word" + ")".repeat(60), "!".repeat(1000) + "word", "+-+-+-word", "NOT NOT", "- - -"].map((query) => { try { return g.search.query(query).length; } catch (error) { return error.code; } }); }

//# a query of 8 KiB of clauses, and one of a byte more
// exit: 0
export function main() { g.search.index({ _collection: "c", _key: "k", a: "word" }); return ["a ".repeat(1024), "a ".repeat(1025), "a ".repeat(4096), "a".repeat(8192), "a".repeat(8193), "ü".repeat(4096), "ü".repeat(4097), "(a) ".repeat(2048)].map((query) => { try { return g.search.query(query).length; } catch (error) { return error.code; } }); }

//# a query of 32 MB is refused without being parsed
// flags: --max-memory 128M
// stdout: "LIMIT"
export function main() { try { g.search.query("a OR ".repeat(6 << 20)); } catch (error) { return error.code; } }

//# boosts that are infinite, negative, NaN, tiny, hexadecimal and repeated
// stdout: true
export function main() { for (let i = 0; i < 5; i++) g.search.index({ _collection: "c", _key: `k${i}`, a: `word w${i}` }); return ["1e999", "-1", "NaN", "Infinity", "1e-999", "0", "-0", "0x10", "1^2", "", "99999999999999999999999999999999999999999", ".5", "5.", "1_000", "١"].every((boost) => { try { return g.search.query(`word^${boost} w1`).every(({ score }) => typeof score === "number" && Number.isFinite(score)); } catch (error) { return error.code === "QUERY_SYNTAX" || error.code === "LIMIT"; } }); }

//# boosts multiplied by nesting until they overflow
// stdout: true
export function main() { g.search.index({ _collection: "c", _key: "k", a: "word" }); try { return g.search.query("(".repeat(50) + "word^1e30" + ")^1e30".repeat(50)).every(({ score }) => Number.isFinite(score)); } catch (error) { return ["QUERY_SYNTAX", "LIMIT"].includes(error.code); } }

//# ranges turned around, open, mixed, of words, of numbers beyond all bounds
// exit: 0
export function main() { for (let i = 0; i < 50; i++) g.search.index({ _collection: "c", _key: `k${i}`, n: i % 2 ? i : -i / 3, t: `t${i}` }); return ["n:[5 TO 1]", "n:{* TO *}", "n:[1e999 TO *]", "n:[-1e999 TO 1e999]", "n:[NaN TO NaN]", "n:[9007199254740993 TO 9007199254740993]", "t:[z TO a]", "t:[* TO \\u0000]", "n:>=1e308", "n:<-0", 'n:["" TO ""]', "n:[1 TO 2 TO 3]", "n:[1 2]", "n:[TO]", "n:[ TO ]", "n:]1 TO 2[", "*:[1 TO 2]", "n:>", "n:>=<5"].map((query) => { try { return g.search.query(query).length; } catch (error) { return error.code; } }); }

//# fields with every special character, and with escapes that do not end
// exit: 0
export function main() { g.search.index({ _collection: "c", _key: "k", "a b": "word", 'q"': "word", "": "word" }); return ["a\\ b:word", 'q\\":word', "\\:word", ":word", "word:", "a:b:c", "\\", "a\\", "a:\\", '"', '"a', 'a"', "'", "\\u", "\\u00", "\\u0000", "\\uD800", "\\uZZZZ", "\0", "\x1b[31m", "\ud800", "*:", "*:*:*", "?:x", "_exists_:", "_exists_:*", "_exists_:\\*", "_key:*", "_collection:*", "_score:1"].map((query) => { try { return g.search.query(query).length; } catch (error) { return error.code; } }); }

//# a caret under a place in a query of wide, combining and right-to-left characters
// exit: 1
// stderr: QUERY_SYNTAX
export function main() { g.search.query("\u202eשלום 日本語 e\u0301\u0301\u0301 \x1b[31m 👩‍👩‍👧‍👦 AND AND"); }

//# operators alone, repeated and glued together
// exit: 0
export function main() { g.search.index({ _collection: "c", _key: "k", a: "word" }); return ["AND", "OR", "NOT", "AND AND", "a AND", "AND a", "a OR OR b", "&&", "||", "&", "|", "!", "+", "-", "++a", "--a", "+ +", "()", "( )", "a ()", "[]", "{}", "//", "/", "^", "^5", "~", "a^b^c", "TO", "a TO b", "", " ", "\n\t", "\u3000"].map((query) => { try { return g.search.query(query).length; } catch (error) { return error.code; } }); }

//# sloppy phrases of a hundred words with a slop of two billion
// exit: 0|3
// flags: --timeout 2s
export function main() { const text = "a b c d ".repeat(2500); for (let i = 0; i < 20; i++) g.search.index({ _collection: "c", _key: `k${i}`, t: text }); try { return g.search.query(`"${"a b c d ".repeat(25)}"~2147483647`).length; } catch (error) { return error.code; } }

//# two hundred sloppy phrases end at the deadline
// exit: 0|3
// flags: --timeout 2s
export function main() { const text = "a b c d e f g ".repeat(10_000); for (let i = 0; i < 20; i++) g.search.index({ _collection: "c", _key: `k${i}`, t: text }); try { return g.search.query(Array.from({ length: 200 }, (_, i) => `"a c e g b"~${i + 10}`).join(" ")).length; } catch (error) { return error.code; } }

//# a phrase of one word a thousand times over
// exit: 0|3
// flags: --timeout 2s
export function main() { for (let i = 0; i < 10; i++) g.search.index({ _collection: "c", _key: `k${i}`, t: "a ".repeat(50_000) }); try { return [g.search.query(`"${"a ".repeat(1000)}"`).length, g.search.query(`"${"a ".repeat(900)}b"~5`).length]; } catch (error) { return error.code; } }

//# an offset and a limit of two billion over few documents
// stdout: [0,3,0]
export function main() { for (let i = 0; i < 3; i++) g.search.index({ _collection: "c", _key: `k${i}`, a: "word" }); const most = 2 ** 31 - 1; return [g.search.query("word", { offset: most, limit: most }).length, g.search.query("word", { limit: most }).length, g.search.query("word", { limit: 0 }).length]; }

//# a limit of two billion over the store, in every order
// stdout: true
export function main() { for (let i = 0; i < 20; i++) g.store.put("c", `k${i}`, `word ${i}`); const most = 2 ** 31 - 1; return ["key", "createdAt", "updatedAt", undefined].every((sort) => ["asc", "desc"].every((order) => g.store.search("c", "word", { limit: most, sort, order }).length === 20 && g.store.search("c", "word", { offset: most, limit: most, sort, order }).length === 0)); }

//# everything, sorted, over thousands of documents, ends at the deadline
// exit: 3
// flags: --timeout 3s
export function main() { for (let i = 0; i < 3000; i++) g.store.put("c", `k${i}`, { a: i }); for (;;) g.store.search("c", "*:*", { sort: "key", offset: 2000, limit: 1000 }); }

//# a collection in the options that is hostile
// stdout: true
export function main() { g.search.index({ _collection: "c", _key: "k", a: "word" }); return g.search.query("word", { collection: "no such" }).length === 0 && ["", "\0", "x".repeat(256), 5, {}].every((collection) => { try { g.search.query("word", { collection }); return false; } catch (error) { return error.code === "INVALID_ARGUMENT"; } }); }

//# a query is a number, an object, a text object, an array or nothing
// stdout: true
export function main() { return [5, {}, new String("a"), ["a"], null, undefined, Symbol("a"), 1n, true, () => "a"].every((query) => ["g", "s"].every((where) => { try { where === "g" ? g.search.query(query) : g.store.search("c", query); return false; } catch (error) { return error instanceof TypeError; } })); }

//# unicode that changes its length when it is lower-cased
// stdout: true
export function main() { const words = ["İstanbul", "ẞ", "ǅ", "ﬃ", "Σίσυφος", "K", "Å", "𐐀", "\u1e9e", "ΐ"]; words.forEach((word, i) => g.search.index({ _collection: "c", _key: `k${i}`, a: word })); return words.every((word) => { try { g.search.query(`${word}* OR ${word}~ OR [${word} TO ${word}] OR "${word}"`); return true; } catch (error) { return error.code === "LIMIT" || error.code === "QUERY_SYNTAX"; } }); }

//# queries while documents are indexed and deleted in between
// flags: --timeout 20s
// stdout: true
export function main() { let right = true; for (let i = 0; i < 60; i++) { g.search.index({ _collection: "c", _key: `k${i % 7}`, a: `word n${i}` }); right &&= g.search.query(`n${i}`).length === 1 && g.search.query("word").length === Math.min(i + 1, 7); if (i % 10 === 9) { g.search.clear(); for (let j = 0; j < 7; j++) g.search.index({ _collection: "c", _key: `k${j}`, a: "word" }); } } return right; }

//# deleteByCollection of collections by the hundred and of what is none
// stdout: [0,5,0]
export function main() { for (let i = 0; i < 200; i++) for (let j = 0; j < 5; j++) g.search.index({ _collection: `c${i}`, _key: `k${j}`, a: "word" }); const gone = g.search.deleteByCollection("none"); let count = 0; for (let i = 0; i < 200; i++) count = g.search.deleteByCollection(`c${i}`); return [gone, count, g.search.count()]; }
