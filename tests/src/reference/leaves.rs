//! Single clauses, made from the content of a document.

use super::{
    Query,
    generate::Construct,
    random::Random,
    vocabulary::{Fact, Vocabulary},
};

/// How many documents from the start are package records; the hard ones after them are picked as often.
const PACKAGES: usize = 2_019;

/// A clause that finds the document with this number, or one after it that offers what it takes.
pub(super) fn leaf(construct: Construct, document: usize, from: &Vocabulary, random: &mut Random) -> Query {
    let hard = from.documents.len() - PACKAGES;
    let mut place = match document % 2 {
        0 => document / 2 % PACKAGES,
        _ => PACKAGES + document / 2 % hard,
    };
    for _ in 0..4 * from.documents.len() {
        let fact = random.pick(&from.documents[place]);
        let query = Leaf { fact, from, random: &mut *random }.of(construct);
        if let Some(query) = query {
            return query;
        }
        // Try another value of this document before the next one.
        place = if random.once_in(8) { (place + 1) % from.documents.len() } else { place };
    }
    panic!("no document offers {construct:?}");
}

struct Leaf<'a> {
    fact: &'a Fact,
    from: &'a Vocabulary,
    random: &'a mut Random,
}

impl Leaf<'_> {
    /// Nothing, when this value does not offer it.
    fn of(&mut self, construct: Construct) -> Option<Query> {
        let own = self.fact.field.starts_with('_');
        let is_field = match construct {
            Construct::Key => self.fact.field == "_key",
            Construct::Collection => self.fact.field == "_collection",
            _ => !own,
        };
        if !is_field {
            return None;
        }
        Some(match construct {
            Construct::Word => Query::same(self.word(1)?),
            Construct::FieldWord | Construct::Key | Construct::Collection => {
                self.in_field(&self.fact.field.clone(), 1)?
            }
            Construct::EveryField => {
                let word = self.word(1)?;
                Query { ghost: format!("*:{word}"), reference: format!("all:{word}") }
            }
            Construct::Phrase => {
                let phrase = self.phrase(0)?;
                self.anywhere(phrase)
            }
            Construct::Slop => {
                let slop = 1 + self.random.below(4);
                let phrase = self.phrase(slop)?;
                self.anywhere(format!("{phrase}~{slop}"))
            }
            Construct::AnyOne | Construct::Prefix | Construct::Suffix => self.pattern(construct)?,
            Construct::Fuzzy => {
                let word = self.misspelt(4)?;
                self.anywhere(format!("{word}~"))
            }
            Construct::FuzzyDistance => {
                let word = self.misspelt(5)?;
                let distance = self.random.below(3);
                self.anywhere(format!("{word}~{distance}"))
            }
            Construct::Inclusive => self.range('[', ']')?,
            Construct::Exclusive => self.range('{', '}')?,
            Construct::Mixed => {
                let (start, end) = *self.random.pick(&[('[', '}'), ('{', ']')]);
                self.range(start, end)?
            }
            Construct::Open => self.open()?,
            Construct::Unbounded => self.anywhere("[* TO *]".into()),
            Construct::Comparison => self.comparison()?,
            Construct::Regex => self.regex()?,
            Construct::All => Query::same("*:*"),
            Construct::FieldAny => Query::same(format!("{}:*", escaped(&self.fact.field))),
            Construct::Exists => Query::same(format!("_exists_:{}", escaped(&self.fact.field))),
            Construct::Escape => self.escape()?,
            Construct::Hyphenated => {
                let is_fit = |text: &&str| {
                    text.trim_matches('-').contains('-') && text.chars().all(|c| c.is_alphanumeric() || c == '-')
                };
                let text = self.chunk(is_fit).filter(|text| !text.starts_with('-'))?;
                self.anywhere(text)
            }
            Construct::Wordless => Query::same(*self.random.pick(&["\"!!\"", "...", "\"-- ?\"", "§", "title:\"!\""])),
            Construct::BareOperator => Query::same(*self.random.pick(&["- ", "+ ", "! "])),
            Construct::FieldGroup => self.field_group()?,
            other => panic!("{other:?} is no clause by itself"),
        })
    }

    /// A word of this many characters at the least, sometimes in capitals.
    fn plain(&mut self, least: usize) -> Option<String> {
        let fit: Vec<_> = self.fact.words.iter().filter(|word| word.chars().count() >= least).collect();
        if fit.is_empty() {
            return None;
        }
        let word = (*self.random.pick(&fit)).clone();
        Some(if word.is_ascii() && self.random.once_in(5) { word.to_ascii_uppercase() } else { word })
    }

    fn word(&mut self, least: usize) -> Option<String> {
        // In capitals it may be an operator.
        let word = self
            .plain(least)
            .map(|word| if matches!(word.as_str(), "AND" | "OR" | "NOT") { word.to_lowercase() } else { word });
        Some(escaped(&word?))
    }

    fn in_field(&mut self, field: &str, least: usize) -> Option<Query> {
        let word = self.word(least)?;
        Some(Query::same(format!("{}:{word}", escaped(field))))
    }

    /// With its field, or without one.
    fn anywhere(&mut self, text: String) -> Query {
        if self.random.once_in(2) {
            Query::same(text)
        } else {
            Query::same(format!("{}:{text}", escaped(&self.fact.field)))
        }
    }

    /// Words that follow each other; with slop, some of them, maybe the other way round.
    fn phrase(&mut self, slop: usize) -> Option<String> {
        let words = &self.fact.words;
        if words.len() < 2 {
            return None;
        }
        let start = self.random.below(words.len() - 1);
        let end = words.len().min(start + 2 + self.random.below(3));
        let mut chosen: Vec<&str> = words[start..end].iter().map(String::as_str).collect();
        if slop > 0 && chosen.len() > 2 && self.random.once_in(2) {
            chosen.remove(1);
        }
        if slop > 0 && self.random.once_in(3) {
            chosen.swap(0, 1);
        }
        Some(format!("\"{}\"", chosen.join(" ").replace(['"', '\\'], " ")))
    }

    fn pattern(&mut self, construct: Construct) -> Option<Query> {
        let mut characters: Vec<char> = self.plain(4)?.to_lowercase().chars().collect();
        let middle = 1 + self.random.below(characters.len() - 1);
        let mut pattern = match construct {
            Construct::AnyOne => {
                characters[middle] = '?';
                characters
            }
            Construct::Prefix => [&characters[..(middle + 1).max(2)], &['*']].concat(),
            _ => [&['*'], &characters[middle.min(characters.len() - 2)..]].concat(),
        };
        if construct != Construct::Prefix && self.random.once_in(4) {
            pattern.push('*');
        }
        let pattern: String = pattern.into_iter().collect();
        let text: String =
            pattern.chars().map(|c| if matches!(c, '*' | '?') { c.into() } else { escaped(&c.to_string()) }).collect();
        self.from.is_narrow(&pattern).then(|| self.anywhere(text))
    }

    /// A word after an edit or two, or none.
    fn misspelt(&mut self, least: usize) -> Option<String> {
        let mut characters: Vec<char> = self.plain(least)?.chars().collect();
        for _ in 0..self.random.below(3) {
            let place = self.random.below(characters.len() - 1);
            match self.random.below(4) {
                0 => drop(characters.remove(place)),
                1 => characters.insert(place, 'x'),
                2 => characters.swap(place, place + 1),
                _ => characters[place] = 'e',
            }
        }
        Some(escaped(&characters.into_iter().collect::<String>()))
    }

    /// A lower and an upper bound around this value.
    fn bounds(&mut self) -> Option<(String, String)> {
        if let Some(number) = self.fact.number {
            let step = *self.random.pick(&[0.0, 1.0, 10.0, 1_000.0]);
            return Some((format!("{}", number - step), format!("{}", number + step)));
        }
        let text: String = self.fact.text.chars().filter(|c| !c.is_control()).take(60).collect();
        let length = text.chars().count();
        if length < 2 {
            return None;
        }
        let lower = text.chars().take(1 + self.random.below(length)).collect();
        let upper = format!("{}~", text.chars().take(1 + self.random.below(length)).collect::<String>());
        Some((lower, if self.random.once_in(3) { text } else { upper }))
    }

    fn range(&mut self, start: char, end: char) -> Option<Query> {
        let (lower, upper) = self.bounds()?;
        let numeric = is_number(&lower) && is_number(&upper);
        let range = format!("{start}{} TO {}{end}", bound(&lower), bound(&upper));
        Some(self.ranged(&range, numeric))
    }

    fn open(&mut self) -> Option<Query> {
        let (lower, upper) = self.bounds()?;
        let end = *self.random.pick(&[']', '}']);
        Some(if self.random.once_in(2) {
            self.ranged(&format!("[* TO {}{end}", bound(&upper)), is_number(&upper))
        } else {
            self.ranged(&format!("{{{} TO *{end}", bound(&lower)), is_number(&lower))
        })
    }

    fn comparison(&mut self) -> Option<Query> {
        let (lower, upper) = self.bounds()?;
        let sign = *self.random.pick(&[">", ">=", "<", "<="]);
        let bound = if sign.starts_with('>') { lower } else { upper };
        let field = escaped(&self.fact.field);
        // A sign before a digit needs no backslash here.
        let text = if is_number(&bound) { bound.clone() } else { escaped(&bound) };
        Some(both(&field, &format!("{sign}{text}"), is_number(&bound)))
    }

    fn ranged(&mut self, range: &str, numeric: bool) -> Query {
        if self.random.once_in(3) {
            return Query { ghost: range.into(), reference: split("all_number", "all_lower", range, numeric) };
        }
        both(&escaped(&self.fact.field), range, numeric)
    }

    fn regex(&mut self) -> Option<Query> {
        let characters: Vec<char> = self.plain(4)?.to_lowercase().chars().collect();
        if characters.len() > 60 || !characters.iter().all(|c| c.is_alphanumeric()) {
            return None;
        }
        let start: String = characters[..2].iter().collect();
        let (third, rest) = (characters[2], characters[3..].iter().collect::<String>());
        if !self.from.is_narrow(&format!("{start}{third}*")) {
            return None;
        }
        let regex = match self.random.below(7) {
            0 => format!("{start}.{rest}"),
            1 => format!("{start}{third}.*"),
            2 => format!("{start}[{third}xyz]{rest}"),
            3 => format!("{start}({third}|zz){rest}"),
            4 => format!("{start}{third}?.{{{},{}}}", rest.chars().count(), rest.chars().count() + 1),
            5 => format!("{start}[^q]{rest}s?"),
            _ => format!("{start}{third}+{rest}"),
        };
        Some(self.anywhere(format!("/{regex}/")))
    }

    /// Text between spaces that has what would be syntax.
    fn escape(&mut self) -> Option<Query> {
        // Elasticsearch takes `\<a` for a comparison, backslash or not.
        let is_fit = |text: &&str| text.contains(is_special) && !text.starts_with(['<', '>']);
        let text = self.chunk(|text| is_fit(text) && text.contains(char::is_alphanumeric))?;
        Some(self.anywhere(escaped(&text)))
    }

    fn chunk(&mut self, is_fit: impl Fn(&&str) -> bool) -> Option<String> {
        let chunks: Vec<_> = self.fact.text.split(char::is_whitespace).filter(is_fit).collect();
        (!chunks.is_empty()).then(|| (*self.random.pick(&chunks)).to_owned())
    }

    fn field_group(&mut self) -> Option<Query> {
        let (first, second) = (self.word(1)?, self.word(1)?);
        let inside = match self.random.below(4) {
            0 => format!("{first} AND {second}"),
            1 => format!("+{first} -zebra"),
            2 => format!("{first} OR NOT {second}"),
            _ => format!("{first} {second}"),
        };
        Some(Query::same(format!("{}:({inside})", escaped(&self.fact.field))))
    }
}

/// A range in a field. Elasticsearch has the numbers of a field, and its texts as a whole, in fields of their own.
fn both(field: &str, range: &str, numeric: bool) -> Query {
    let reference = split(&format!("number.{field}"), &format!("lower.{field}"), range, numeric);
    Query { ghost: format!("{field}:{range}"), reference }
}

fn split(numbers: &str, texts: &str, range: &str, numeric: bool) -> String {
    if numeric { format!("({numbers}:{range} OR {texts}:{range})") } else { format!("{texts}:{range}") }
}

fn is_number(text: &str) -> bool {
    text.parse().is_ok_and(f64::is_finite)
}

/// As it is where it may be, else quoted.
fn bound(text: &str) -> String {
    if !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-')) {
        return text.into();
    }
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn is_special(character: char) -> bool {
    "+-!():^[]\"{}~*?\\/&|<> \u{3000}".contains(character)
}

fn escaped(text: &str) -> String {
    text.chars().map(|c| if is_special(c) { format!("\\{c}") } else { c.to_string() }).collect()
}
