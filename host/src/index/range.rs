//! Documents with a value in a range, read from the columns of the values.

use std::ops::{Bound, Range as Span, RangeInclusive};

use tantivy::{
    BitSet, DocId, Score, SegmentReader, TantivyError,
    columnar::{Column, DynamicColumn, DynamicColumnHandle, StrColumn},
    query::{BitSetDocSet, ConstScorer, EnableScoring, Explanation, Query, Scorer, Weight},
};

use super::{schema::column_name, stop::Stop};

/// A range of values, of one path or of all. A number is in it by number, when both bounds are numbers; a text by text.
#[derive(Clone, Debug)]
pub(super) struct Range {
    path: Option<String>,
    lower: Bound<String>,
    upper: Bound<String>,
    numbers: Option<(Bound<f64>, Bound<f64>)>,
    stop: Stop,
}

/// How many documents are looked at between two looks at the clock.
const DOCUMENTS: u32 = 16_384;

impl Range {
    pub(super) fn new(path: Option<String>, lower: Bound<String>, upper: Bound<String>, stop: Stop) -> Self {
        let numbers = number(&lower).zip(number(&upper));
        Self { path, lower, upper, numbers, stop }
    }

    fn columns(&self, reader: &SegmentReader) -> Result<Vec<DynamicColumnHandle>, TantivyError> {
        match &self.path {
            Some(path) => reader.fast_fields().dynamic_column_handles(&column_name(Some(path))),
            None => reader.fast_fields().dynamic_subpath_column_handles(&column_name(None)),
        }
    }

    fn add(&self, column: DynamicColumn, documents: &mut Documents) -> Result<(), TantivyError> {
        match column {
            DynamicColumn::Str(texts) => self.add_texts(&texts, documents)?,
            DynamicColumn::F64(numbers) => documents.add(&numbers, self.floats()),
            DynamicColumn::I64(numbers) => {
                documents.add(&numbers, self.whole(i64::MIN, i64::MAX, |number| number as i64, |whole| whole as f64));
            }
            DynamicColumn::U64(numbers) => {
                documents.add(&numbers, self.whole(u64::MIN, u64::MAX, |number| number as u64, |whole| whole as f64));
            }
            // No value is put into such a column.
            DynamicColumn::Bool(_)
            | DynamicColumn::IpAddr(_)
            | DynamicColumn::DateTime(_)
            | DynamicColumn::Bytes(_) => {}
        }
        Ok(())
    }

    fn add_texts(&self, texts: &StrColumn, documents: &mut Documents) -> Result<(), TantivyError> {
        let lower = self.lower.as_ref().map(String::as_str);
        let upper = self.upper.as_ref().map(String::as_str);
        let (lower, upper) = texts.dictionary().term_bounds_to_ord(lower, upper)?;
        let first = match lower {
            Bound::Included(ord) => Some(ord),
            Bound::Excluded(ord) => ord.checked_add(1),
            Bound::Unbounded => Some(0),
        };
        let last = match upper {
            Bound::Included(ord) => Some(ord),
            Bound::Excluded(ord) => ord.checked_sub(1),
            Bound::Unbounded => Some(u64::MAX),
        };
        let ords = first.zip(last).map(|(first, last)| first..=last);
        documents.add(texts.ords(), ords);
        Ok(())
    }

    fn floats(&self) -> Option<RangeInclusive<f64>> {
        let (lower, upper) = self.numbers?;
        let lower = match lower {
            Bound::Included(number) => number,
            Bound::Excluded(number) => number.next_up(),
            Bound::Unbounded => f64::NEG_INFINITY,
        };
        let upper = match upper {
            Bound::Included(number) => number,
            Bound::Excluded(number) => number.next_down(),
            Bound::Unbounded => f64::INFINITY,
        };
        Some(lower..=upper)
    }

    /// The same range among whole numbers, from a type's least to its greatest.
    fn whole<T: Copy>(
        &self,
        least: T,
        most: T,
        cast: impl Fn(f64) -> T,
        float: impl Fn(T) -> f64,
    ) -> Option<RangeInclusive<T>> {
        let range = self.floats()?;
        let is_beyond = *range.end() < float(least) || *range.start() > float(most);
        (!is_beyond).then(|| cast(range.start().ceil())..=cast(range.end().floor()))
    }
}

fn number(bound: &Bound<String>) -> Option<Bound<f64>> {
    let parse = |text: &String| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    Some(match bound {
        Bound::Included(text) => Bound::Included(parse(text)?),
        Bound::Excluded(text) => Bound::Excluded(parse(text)?),
        Bound::Unbounded => Bound::Unbounded,
    })
}

/// The documents of a segment that were found.
struct Documents {
    found: BitSet,
    all: Span<DocId>,
    some: Vec<DocId>,
    stop: Stop,
}

impl Documents {
    fn add<T: PartialOrd + Copy + std::fmt::Debug + Send + Sync + 'static>(
        &mut self,
        column: &Column<T>,
        values: Option<RangeInclusive<T>>,
    ) {
        // Tantivy takes a range below the least value for one that has it.
        let overlaps = |values: &RangeInclusive<T>| {
            !values.is_empty() && *values.end() >= column.min_value() && *values.start() <= column.max_value()
        };
        let Some(values) = values.filter(overlaps) else { return };
        let Span { start, end } = self.all;
        for first in (start..end).step_by(DOCUMENTS as usize) {
            if self.stop.now() {
                return;
            }
            self.some.clear();
            let last = first.saturating_add(DOCUMENTS).min(end);
            column.get_docids_for_value_range(values.clone(), first..last, &mut self.some);
            for document in &self.some {
                self.found.insert(*document);
            }
        }
    }
}

impl Query for Range {
    fn weight(&self, _: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }
}

impl Weight for Range {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let all = 0..reader.max_doc();
        let mut documents =
            Documents { found: BitSet::with_max_value(all.end), all, some: Vec::new(), stop: self.stop.clone() };
        for column in self.columns(reader)? {
            if self.stop.now() {
                break;
            }
            self.add(column.open()?, &mut documents)?;
        }
        Ok(Box::new(ConstScorer::new(BitSetDocSet::from(documents.found), boost)))
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Ok(Explanation::new("in the range", 1.0))
    }
}
