//! Hostile scripts.

use super::{Kind, MANY_DOCUMENTS};

fn script(name: &'static str, body: &str) -> Kind {
    script_after(name, "", body)
}

fn script_after(name: &'static str, before: &'static str, body: &str) -> Kind {
    Kind { name, file: "hostile.js", code: format!("export async function main() {{ {body} }}").into(), before }
}

/// Documents that make searches expensive.
const LARGE_DOCUMENTS: &str = "for (let d = 0; d < 3; d++) { let text = ''; \
     for (let i = 0; i < 300_000; i++) text += 'word' + (i * 7919 % 20_011) + ' a b '; g.store.put('large', 'k' + d, { text }); }";
const SEARCHED_LARGE: &str = "for (let d = 0; d < 3; d++) { let text = ''; \
     for (let i = 0; i < 200_000; i++) text += 'a b c ' + i % 500 + ' '; g.store.put('large', 'k' + d, { text }); } \
     g.store.search('large', 'a', { limit: 1 });";

pub(super) fn scripts() -> Vec<Kind> {
    let forever = |name, body: &str| script(name, &format!("for (;;) {{ {body} }}"));
    vec![
        forever("an empty loop", ""),
        forever("a loop that catches", "try { throw 1; } catch {}"),
        script("a regular expression that backtracks", "return /^(a+)+$/.test('a'.repeat(60) + 'b');"),
        script(
            "a regular expression over a long text",
            "const t = 'ab'.repeat(4e6); for (;;) /(x+x+)+y|b$|(a|b)*c/.test(t);",
        ),
        script("a sort that never ends", "[3, 1, 2].sort(() => { for (;;); });"),
        script("numbers of many digits", "let n = 3n; for (;;) n = n * n;"),
        script("promises that queue themselves", "const again = () => Promise.resolve().then(again); await again();"),
        script("promises without end", "const all = []; for (;;) { all.push(new Promise(() => {})); await null; }"),
        script(
            "timers that set themselves",
            "const again = () => setTimeout(again, 0); again(); await new Promise(() => {});",
        ),
        script("intervals", "for (let i = 0; i < 1e4; i++) setInterval(() => {}, 1); await new Promise(() => {});"),
        script("a long sleep", "await new Promise((resolve) => setTimeout(resolve, 3.6e6));"),
        script("an array that grows", "const all = []; for (;;) all.push({});"),
        script("texts that grow", "let text = 'x'; for (;;) { text += text; text.indexOf('y'); }"),
        script("typed arrays that grow", "const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1));"),
        script("maps and sets that grow", "const all = new Map(); for (let i = 0; ; i++) all.set(i, new Set([i]));"),
        script(
            "memory that is caught",
            "const all = []; for (;;) try { for (;;) all.push(new Array(1e4).fill(1)); } catch {}",
        ),
        script("deep recursion", "const f = () => f() + 1; for (;;) try { f(); } catch {}"),
        script("deep data as result", "let v = 0; for (let i = 0; i < 1e6; i++) v = [v]; return v;"),
        script(
            "deep data in an error",
            "let v = 0; for (let i = 0; i < 1e6; i++) v = [v]; throw Object.assign(new Error('x'), { details: v, code: 'X' });",
        ),
        script(
            "deep data on the console",
            "let v = 0; for (let i = 0; i < 1e6; i++) v = [v]; for (;;) try { console.log(v); } catch {}",
        ),
        script("deep text as result", "return JSON.parse('['.repeat(1e6) + ']'.repeat(1e6));"),
        forever("console lines", "console.log('x'.repeat(1000));"),
        forever("empty console lines", "console.log('');"),
        forever("console lines of many megabytes", "console.log('x'.repeat(8e6));"),
        script("a huge result", "return 'x'.repeat(20e6);"),
        script("a result of many values", "return new Array(3e6).fill(1);"),
        script("a huge message", "throw new Error('x'.repeat(10e6));"),
        script("json that grows", "let v = 'x'; for (;;) v = JSON.stringify([v, v]);"),
        forever("puts", "g.store.put('c', 'k' + Math.random(), 'x');"),
        forever("puts of many megabytes", "g.store.put('c', 'k' + Math.random(), 'x'.repeat(8e6));"),
        forever("puts that are too large", "try { g.store.put('c', 'k', 'x'.repeat(17e6)); } catch {}"),
        script(
            "puts of deep data",
            "let v = 0; for (let i = 0; i < 1e5; i++) v = [v]; for (;;) try { g.store.put('c', 'k', v); } catch {}",
        ),
        script(
            "a document of many words that is searched",
            "const w = []; for (let i = 0; i < 1e6; i++) w.push(i.toString(36)); g.store.put('c', 'k', w.join(' ')); for (;;) g.store.search('c', 'x');",
        ),
        script(
            "a document of many values that is searched",
            "g.store.put('c', 'k', new Array(1e6).fill(7)); for (;;) g.store.search('c', 'x');",
        ),
        script(
            "a document of many fields that is searched",
            "const v = {}; for (let i = 0; i < 1e5; i++) v['f' + i] = i; g.store.put('c', 'k', v); for (;;) g.store.search('c', 'x');",
        ),
        script(
            "a document of long names that is searched",
            "const n = 'n'.repeat(8000); g.store.put('c', 'k', { [n]: new Array(3e5).fill('a') , t: 'a b '.repeat(5e5) }); for (;;) g.store.search('c', 'x');",
        ),
        script(
            "documents of punctuation that are searched",
            "g.store.put('c', 'k', '!?'.repeat(7e6)); for (;;) g.store.search('c', 'x');",
        ),
        script(
            "an index that is fed",
            "for (let i = 0; ; i++) { g.search.index({ _collection: 'c', _key: 'k' + i, t: 'tea ' + i }); g.search.query('tea'); }",
        ),
        script_after(
            "large documents that are searched",
            LARGE_DOCUMENTS,
            "for (;;) g.store.search('large', 'word1');",
        ),
        script_after(
            "sloppy phrases",
            SEARCHED_LARGE,
            "const q = Array.from({ length: 200 }, (_, i) => `\"a b ${i}\"~${1000 + i}`).join(' '); for (;;) g.store.search('large', q);",
        ),
        script_after(
            "phrases",
            SEARCHED_LARGE,
            "const q = Array.from({ length: 200 }, (_, i) => `\"a c ${i} b\"`).join(' '); for (;;) g.store.search('large', q);",
        ),
        script_after(
            "every document in an order",
            MANY_DOCUMENTS,
            "for (;;) g.store.search('many', '*:*', { sort: 'createdAt' });",
        ),
        script_after(
            "patterns",
            MANY_DOCUMENTS,
            "for (;;) try { g.store.search('many', '*w*o*r*d*9*9*9*'); } catch {}",
        ),
        script_after(
            "regular expressions of the search",
            MANY_DOCUMENTS,
            "for (let i = 0; ; i++) try { g.store.search('many', `/(.*[a-z0-9]{1,40}){4}${i}x/`); } catch {}",
        ),
        script_after(
            "fuzzy words",
            MANY_DOCUMENTS,
            "const q = Array.from({ length: 300 }, (_, i) => `word${i}~2`).join(' '); for (;;) try { g.store.search('many', q); } catch {}",
        ),
        script_after(
            "ranges",
            MANY_DOCUMENTS,
            "const q = Array.from({ length: 500 }, (_, i) => `[${i} TO 99999]`).join(' '); for (;;) try { g.store.search('many', q); } catch {}",
        ),
        script_after("lists", MANY_DOCUMENTS, "for (;;) g.store.list('many', { limit: 100_000 });"),
        script("waits for items", "await Promise.all(Array.from({ length: 1024 }, () => g.queue.waitForItem('q')));"),
        script("waits for items without end", "for (;;) g.queue.waitForItem('q'.repeat(200)).catch(() => {});"),
        forever("items", "g.queue.enqueue('q', 'x'.repeat(1e6)); g.queue.dequeue('q');"),
        script("a source of many brackets", &format!("return {}1{};", "[".repeat(200_000), "]".repeat(200_000))),
        script("a source of many functions", &"(() => { let a = 1; return a; })();".repeat(200_000)),
    ]
}
