//! Limits of a search, whatever the documents and the query, and the state that the next run finds.

use std::time::Duration;

use ghost_tests::{
    deadline::on_time,
    folder::{Finished, Folder},
};

fn put(folder: &Folder, body: &str) {
    folder.script([], &format!("export function main() {{ {body} }}")).finish().exits(0);
}

#[test]
fn a_malformed_query_is_refused_before_anything_is_indexed() {
    let folder = Folder::new();
    put(&folder, "g.store.put('c', 'k', 'tea'); g.search.index({ _collection: 'c', _key: 'k', text: 'tea' });");
    let source = |query: &str| {
        format!(
            "export function main() {{
              const code = (call) => {{ try {{ return call().length; }} catch (error) {{ return error.code; }} }};
              return [code(() => g.store.search('c', '{query}')), code(() => g.search.query('{query}'))];
            }}"
        )
    };
    let index = folder.path().join(".ghost/index");
    folder.script([], &source("(tea")).finish().exits(0).prints("[\"QUERY_SYNTAX\",\"QUERY_SYNTAX\"]\n");
    assert!(!index.exists(), "it was indexed");
    folder.script([], &source("tea")).finish().exits(0).prints("[1,1]\n");
    assert!(index.join("store").is_dir() && index.join("search").is_dir());
}

/// Words that are all different, in one document of nearly 16 MiB.
const HUGE: &str = "const words = []; for (let i = 0; words.length < 2.6e6; i++) words.push(i.toString(36)); \
     words[3] = 'needle'; g.store.put('c', 'huge', words.join(' ')); g.store.put('c', 'small', 'needle');";
const SEARCH: &str =
    "export function main() { return g.store.search('c', 'needle', { sort: 'key' }).map((found) => found.key); }";

#[test]
fn a_huge_document_keeps_to_the_deadline_and_blocks_no_later_search() {
    let folder = Folder::new();
    put(&folder, HUGE);
    let cut = folder.script(["--timeout", "300ms"], SEARCH).finish().exits(3).prints("");
    // One step over so large a document takes most of a second where ghost is not optimized.
    assert!(cut.cpu_time < Duration::from_secs(2), "{cut}");
    folder.script([], SEARCH).finish().exits(0).prints("[\"small\",\"huge\"]\n");
    folder.script(["--timeout", "5s"], SEARCH).finish().exits(0).prints("[\"small\",\"huge\"]\n");
}

#[test]
fn words_beyond_the_limits_of_a_document_are_not_searched() {
    let folder = Folder::new();
    put(
        &folder,
        "const words = []; for (let i = 0; i < 150_000; i++) words.push('w' + i); g.store.put('c', 'k', { a: words.join(' '), b: 1 }); \
         const fields = { last: 'tea' }; for (let i = 0; i < 12_000; i++) fields['f' + i] = 'v' + i; g.store.put('c', 'fields', fields);",
    );
    let source = "export function main() {
        const finds = (query) => g.store.search('c', query).map((found) => found.key).join();
        return ['w7', 'a:w7', 'w99000', 'w149999', 'f7:v7', 'v11999', 'f11999:v11999', 'last:tea'].map(finds);
    }";
    let expected = "[\"k\",\"k\",\"k\",\"\",\"fields\",\"fields\",\"\",\"fields\"]\n";
    folder.script([], source).finish().exits(0).prints(expected);
}

/// Runs a query again and again under a limit of half a second.
#[track_caller]
fn never_ends(folder: &Folder, query: &str) {
    let source = format!("export function main() {{ for (;;) {query}; }}");
    let run = || folder.script(["--timeout", "500ms"], &source).finish().exits(3).prints("");
    on_time(Duration::from_millis(500), run).never_says("panicked").never_says("internal");
}

#[test]
fn queries_check_the_deadline_while_they_run() {
    let folder = Folder::new();
    put(
        &folder,
        "for (let d = 0; d < 4; d++) { const words = []; for (let i = 0; i < 400_000; i++) words.push('a b c d'.split(' ')[i * 7 % 4] + (i % 3 ? '' : ' x' + i % 50)); \
           g.store.put('c', 'k' + d, words.join(' ')); } \
         for (let i = 0; i < 100_000; i++) g.store.put('many', 'k' + i, { n: i, text: 'word' + i }); \
         g.store.search('c', 'a', { limit: 1 }); g.store.search('many', 'word1');",
    );
    never_ends(
        &folder,
        "g.store.search('c', Array.from({ length: 200 }, (_, i) => `\"a x${i % 50} d\"~${100 + i}`).join(' '))",
    );
    never_ends(&folder, "g.store.search('c', Array.from({ length: 200 }, (_, i) => `\"d x${i % 50} d\"`).join(' '))");
    never_ends(&folder, "g.store.search('many', '*:*', { sort: 'createdAt' })");
    never_ends(&folder, "g.store.search('many', '*w*o*9*9*x*')");
    never_ends(&folder, "g.store.search('many', '/(.*[a-z0-9]{1,20}){3}x/')");
    // The interrupted queries damaged nothing.
    let source = "export function main() { return g.store.search('many', 'word77').map((found) => found.key); }";
    folder.script([], source).finish().exits(0).prints("[\"k77\"]\n");
}

/// How much memory a run of 64 MiB had that found this in a document of a million words "a b", at the most, and its outcome.
fn searched(query: &str) -> Finished {
    let folder = Folder::new();
    put(&folder, "g.store.put('c', 'k', 'a b '.repeat(5e5) + 'c');");
    let source = |query: &str| format!("export function main() {{ return g.store.search('c', {query}).length; }}");
    folder.script([], &source("'c'")).finish().exits(0).prints("1\n");
    folder.script(["--timeout", "60s", "--max-memory", "64M"], &source(query)).finish()
}

const MOST: u64 = (64 << 20) + 100_000_000;

#[test]
fn hundreds_of_phrases_hold_the_positions_of_one_at_a_time() {
    for (end, found) in [("c", "0\n"), ("b c", "1\n")] {
        let query =
            format!("Array.from({{ length: 200 }}, (_, i) => '\"a ' + 'b a '.repeat(i % 5) + '{end}\"').join(' ')");
        let finished = searched(&query).exits(0).prints(found);
        assert!(finished.peak_memory < MOST, "{} MB", finished.peak_memory / 1_000_000);
    }
}

#[test]
fn a_phrase_whose_positions_exceed_the_memory_of_the_run_is_refused() {
    let finished = searched("'\"' + 'a b '.repeat(50) + '\"~2'").exits(1);
    assert!(finished.peak_memory < MOST, "{} MB", finished.peak_memory / 1_000_000);
    finished.says("[LIMIT]").says("need more memory than the run has left");
}
