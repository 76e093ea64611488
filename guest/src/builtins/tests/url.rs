use super::evaluate;

#[test]
fn unpaired_surrogates_are_replaced() {
    for (script, text) in [
        ("new URL('http://h/\\ud800').href", "http://h/%EF%BF%BD"),
        ("new URL('\\udc00', 'http://h/\\ud800/').href", "http://h/%EF%BF%BD/%EF%BF%BD"),
        ("URL.canParse('http://\\ud800/')", "false"),
        ("new URL('http://\\ud800/')", "TypeError: Invalid URL: 'http://\u{fffd}/'"),
        ("new URL('x:', '\\ud800')", "TypeError: Invalid URL: 'x:'"),
        ("const url = new URL('http://h/'); url.hash = 'a\\ud800b'; url.href", "http://h/#a%EF%BF%BDb"),
        ("const url = new URL('http://h/'); url.href = '\\ud800'", "TypeError: Invalid URL: '\u{fffd}'"),
        ("const url = new URL('http://h/'); url.search = '\\ud800'; url.searchParams.size", "1"),
        ("new URLSearchParams('a=\\udc00').get('a')", "\u{fffd}"),
        ("new URLSearchParams([['a', '\\udc00']]).get('a')", "\u{fffd}"),
        ("new URLSearchParams({ '\\ud800': '\\udc00' })", "%EF%BF%BD=%EF%BF%BD"),
        ("const pairs = new URLSearchParams(); pairs.append('\\ud800', '\\udc00'); [...pairs]", "\u{fffd},\u{fffd}"),
        ("const pairs = new URLSearchParams('a=1'); pairs.set('a', '\\ud800'); pairs.get('a')", "\u{fffd}"),
        ("const pairs = new URLSearchParams('%EF%BF%BD=1'); pairs.has('\\ud800') + pairs.get('\\ud801')", "true1"),
        ("new URLSearchParams('a=\u{1f600}').get('a')", "\u{1f600}"),
    ] {
        assert_eq!(evaluate(script), text, "{script}");
    }
}

#[test]
fn a_url_shows_every_change_of_its_parameters() {
    let script = "const url = new URL('http://h/?a=1'); const pairs = url.searchParams; const seen = []; \
                  for (const change of [() => pairs.append('b', '2'), () => pairs.set('a', '3'), () => pairs.sort(), \
                  () => pairs.delete('a'), () => { url.hash = 'x'; }, () => { url.search = 'c=4&b=5'; }, \
                  () => pairs.append('d', ''), () => { url.href = 'http://i/?e'; }, () => pairs.delete('e')]) \
                  { change(); seen.push(url.href + ' ' + url.search + ' ' + pairs); } seen.join('\\n')";
    let expected = [
        "http://h/?a=1&b=2 ?a=1&b=2 a=1&b=2",
        "http://h/?a=3&b=2 ?a=3&b=2 a=3&b=2",
        "http://h/?a=3&b=2 ?a=3&b=2 a=3&b=2",
        "http://h/?b=2 ?b=2 b=2",
        "http://h/?b=2#x ?b=2 b=2",
        "http://h/?c=4&b=5#x ?c=4&b=5 c=4&b=5",
        "http://h/?c=4&b=5&d=#x ?c=4&b=5&d= c=4&b=5&d=",
        "http://i/?e ?e e=",
        "http://i/  ",
    ];
    assert_eq!(evaluate(script).lines().collect::<Vec<_>>(), expected);
}

#[test]
fn many_pairs_are_appended_in_linear_time() {
    let script = "const url = new URL('http://h/'); const pairs = url.searchParams; \
                  for (let i = 0; i < 50_000; i++) pairs.append('name', 'value'); url.search.length";
    assert_eq!(evaluate(script), (50_000 * "&name=value".len()).to_string());
}

#[test]
fn iteration_sees_changes_that_are_made_meanwhile() {
    let script = "const pairs = new URLSearchParams('a=1&b=2&c=3'); const seen = []; \
                  for (const [name] of pairs) { seen.push(name); if (name === 'a') pairs.delete('b'); \
                  if (name === 'c') pairs.append('d', '4'); } seen.join()";
    assert_eq!(evaluate(script), "a,c,d");
    let script = "const url = new URL('http://h/?a=1&b=2&c=3'); const seen = []; \
                  url.searchParams.forEach((value, name) => { seen.push(name + value); url.search = 'x=1&y=2'; }); \
                  seen.join()";
    assert_eq!(evaluate(script), "a1,y2");
    let script = "const pairs = new URLSearchParams('a=1'); for (const pair of pairs) pair[0] = 'b'; `${pairs}`";
    assert_eq!(evaluate(script), "a=1");
}
