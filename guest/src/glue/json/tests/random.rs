//! Random values: the writer and `JSON.stringify` write the same bytes.

use super::{REFUSED, evaluate, refuses};

/// Random values, as source. A seed gives the same again.
struct Values(u64);

impl Values {
    fn random() -> Self {
        let seed = getrandom::u64().unwrap() | 1;
        println!("seed {seed}");
        Self(seed)
    }

    fn below(&mut self, limit: u64) -> u64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16) % limit
    }

    fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }

    fn string(&mut self) -> String {
        let units = [
            "a",
            "Z",
            " ",
            "\\n",
            "\\\"",
            "\\\\",
            "\\x00",
            "\\x1f",
            "\\x7f",
            "\\xe9",
            "\\u20ac",
            "\\ud7ff",
            "\\ud800",
            "\\udbff",
            "\\udc00",
            "\\udfff",
            "\\ue000",
            "\\uffff",
            "\\u{1f600}",
            "\\u2028",
        ];
        let length = self.below(24);
        let text: String = (0..length).map(|_| if self.below(3) == 0 { *self.of(&units) } else { "x" }).collect();
        format!("\"{text}\"")
    }

    fn number(&mut self) -> String {
        match self.below(5) {
            0 => (self.below(1 << 33) as i64 - (1 << 32)).to_string(),
            1 => "-0".to_owned(),
            2 => format!("{}.{}", self.below(1 << 20), self.below(1000)),
            3 => format!("{}e{}", self.below(1 << 40), self.below(60) as i64 - 30),
            _ => match f64::from_bits(self.below(u64::MAX)) {
                number if number.is_finite() => format!("{number:?}"),
                _ => "0".to_owned(),
            },
        }
    }

    fn name(&mut self) -> String {
        match self.below(6) {
            0 => format!("[{}]", self.string()),
            1 => self.below(12).to_string(),
            2 => "[\"__proto__\"]".to_owned(),
            _ => format!("m{}", self.below(40)),
        }
    }

    fn list(&mut self, depth: u64, mut item: impl FnMut(&mut Self, u64) -> String) -> String {
        let length = self.below(6);
        (0..length).map(|_| item(self, depth - 1)).collect::<Vec<_>>().join(", ")
    }

    fn members(&mut self, depth: u64, value: fn(&mut Self, u64) -> String) -> String {
        self.list(depth, |values, depth| match values.below(8) {
            0 => format!("get {}() {{ return {}; }}", values.name(), value(values, depth)),
            1 => format!("{}: undefined", values.name()),
            2 => "[Symbol.iterator]: 1".to_owned(),
            _ => format!("{}: {}", values.name(), value(values, depth)),
        })
    }

    /// A value of which nothing is lost.
    fn kept(&mut self, depth: u64) -> String {
        if depth == 0 || self.below(3) == 0 {
            return match self.below(6) {
                0 => (*self.of(&["null", "true", "false", "[]", "({})", "Math"])).to_owned(),
                1 => format!("new Date({})", self.below(1 << 42)),
                2 => format!("Object({})", self.string()),
                3 => format!("new Number({})", self.number()),
                4 => self.string(),
                _ => self.number(),
            };
        }
        let (depth, kept) = (depth, Self::kept as fn(&mut Self, u64) -> String);
        match self.below(8) {
            0 => format!("new Proxy({{ {} }}, {{}})", self.members(depth, kept)),
            1 => format!("({{ own: 1, toJSON(key) {{ return [key, {}]; }} }})", self.kept(depth - 1)),
            2 => format!("Object.assign(Object.create(null), {{ {} }})", self.members(depth, kept)),
            3 => format!("new Proxy([{}], {{}})", self.list(depth, Self::kept)),
            4 | 5 => format!("[{}]", self.list(depth, Self::kept)),
            _ => format!("({{ {} }})", self.members(depth, kept)),
        }
    }

    /// Any value.
    fn any(&mut self, depth: u64) -> String {
        match self.below(5) {
            0 => {
                let (value, _) = self.of(&REFUSED);
                if value.contains("10n") { "[undefined, , 1]".to_owned() } else { format!("({value})") }
            }
            _ if depth == 0 => self.kept(0),
            1 => format!("[{}]", self.list(depth, Self::any)),
            2 => format!("({{ toJSON() {{ return {}; }} }})", self.any(depth - 1)),
            _ => format!("({{ {} }})", self.members(depth, Self::any)),
        }
    }
}

/// Compares what both make of many values in one engine; each is made twice, since a getter may make a new one.
fn compare(values: impl IntoIterator<Item = String>, with: &str) {
    let all: Vec<_> = values.into_iter().map(|value| format!("() => ({value})")).collect();
    let script = format!(
        "(() => {{ const told = (write, make) => {{ try {{ return write(make()); }} catch (error) {{ return `threw ${{error}}`; }} }}; \
         for (const make of [{}]) {{ const [ours, theirs] = [told({with}, make), told(JSON.stringify, make)]; \
         const same = ours === theirs || (ours === null && theirs === undefined) || (`${{ours}}`.startsWith('threw ') && `${{theirs}}`.startsWith('threw ')); if (!same) return `${{make}}\\n${{ours}}\\n${{theirs}}`; }} return 'same'; }})()",
        all.join(",\n")
    );
    assert_eq!(evaluate(&script), "same");
}

#[test]
fn random_values_without_what_is_refused_are_the_same_bytes() {
    let mut values = Values::random();
    for _ in 0..20 {
        compare((0..100).map(|_| values.kept(5)).collect::<Vec<_>>(), "strict");
    }
}

#[test]
fn random_values_of_any_kind_are_the_same_bytes_where_nothing_is_refused() {
    let mut values = Values::random();
    for _ in 0..20 {
        compare((0..100).map(|_| values.any(5)).collect::<Vec<_>>(), "loose");
    }
}

#[test]
fn refused_values_are_found_at_any_depth() {
    let mut values = Values::random();
    for _ in 0..200 {
        let (inner, what) = *values.of(&REFUSED);
        let (mut value, mut path) = (format!("({inner})"), String::new());
        for _ in 0..values.below(7) {
            let before = values.below(4);
            let other = |values: &mut Values| values.kept(2);
            if values.below(2) == 0 {
                let items: Vec<_> = (0..before).map(|_| other(&mut values)).collect();
                value = format!(
                    "[{}, {}]",
                    items.into_iter().chain([value]).collect::<Vec<_>>().join(", "),
                    other(&mut values)
                );
                path = format!("[{before}]{path}");
            } else {
                let members: String = (0..before).map(|at| format!("m{at}: {}, ", other(&mut values))).collect();
                value = format!("({{ {members}here: {value}, after: {} }})", other(&mut values));
                path = format!(".here{path}");
            }
        }
        refuses(&value, &format!("TypeError: data{path} is {what}, which JSON can't hold"));
    }
}

/// Not a test of a bound: prints how long both take. `cargo test --release -- --ignored --nocapture how_long`
#[test]
#[ignore = "prints times"]
fn how_long_both_take() {
    let documents = [
        (
            "200 bytes",
            "({ id: 12345, name: 'Ada Lovelace', born: 1815, tags: ['mathematician', 'writer'], address: { city: 'London', zip: 'W1' }, score: 0.75, active: true, text: 'x'.repeat(40) })",
        ),
        ("wide", "Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`key${i}`, i]))"),
        ("nested", "(() => { let v = 1; for (let i = 0; i < 60; i++) v = { a: v, b: [i] }; return v; })()"),
        ("long string", "'some text with nothing to escape '.repeat(1000)"),
        ("utf-8", "'ünïcödé € 日本語 '.repeat(1000)"),
        ("quotes", "'\"quoted\"\\n'.repeat(1000)"),
        ("integers", "Array.from({ length: 1000 }, (_, i) => i * 7)"),
        ("floats", "Array.from({ length: 1000 }, (_, i) => i / 7)"),
        ("records", "Array.from({ length: 100 }, (_, i) => ({ id: i, name: `name ${i}`, price: i / 4, at: null }))"),
    ];
    for (name, value) in documents {
        let script = format!(
            "(() => {{ const value = {value}; const time = (write) => {{ let best = Infinity; for (let round = 0; round < 5; round++) {{ \
             const start = Date.now(); let n = 0; while (Date.now() - start < 60) {{ for (let i = 0; i < 20; i++) write(value); n += 20; }} \
             best = Math.min(best, (Date.now() - start) / n * 1000); }} return best.toFixed(2); }}; \
             return `${{JSON.stringify(value).length}} bytes: ours ${{time(strict)}} us, JSON.stringify ${{time(JSON.stringify)}} us`; }})()"
        );
        println!("{name}: {}", evaluate(&script));
    }
}
