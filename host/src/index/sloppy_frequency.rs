//! How often and how closely the words of a phrase stand together, as Lucene's `SloppyPhraseMatcher` counts it.

use std::mem;

use tantivy::postings::Postings;

use super::stop::Stop;

/// A word of the phrase among those of a document.
pub(super) struct Word {
    /// Its place in the phrase.
    place: u32,
    /// Where it is in the document, in order.
    places: Vec<u32>,
    /// Which of these places is looked at.
    at: usize,
}

impl Word {
    pub(super) fn new(place: u32) -> Self {
        Self { place, places: Vec::new(), at: 0 }
    }

    pub(super) fn read(&mut self, postings: &mut impl Postings) {
        postings.positions(&mut self.places);
    }

    /// Gives the memory of its places back, if there are more than so many.
    pub(super) fn forget(&mut self, most: usize) {
        if self.places.capacity() > most {
            self.places = Vec::new();
        }
    }

    /// Where the phrase would begin, if this word were not moved.
    fn start(&self) -> i64 {
        i64::from(self.places[self.at]) - i64::from(self.place)
    }

    fn order(&self) -> (i64, u32) {
        (self.start(), self.place)
    }

    /// False when there is no further place.
    fn advance(&mut self) -> bool {
        let has_next = self.at + 1 < self.places.len();
        self.at += usize::from(has_next);
        has_next
    }
}

/// Where the phrase may begin for one more word: of these places, or of all, which the word gives away. Cut short when it was
/// told to stop.
pub(super) fn starts(word: &mut Word, of: Option<Vec<u32>>, stop: &Stop) -> Vec<u32> {
    let Some(mut begins) = of else {
        let mut begins = mem::take(&mut word.places);
        begins.retain_mut(|at| {
            let begin = at.checked_sub(word.place);
            *at = begin.unwrap_or_default();
            begin.is_some()
        });
        return begins;
    };
    let mut rest = word.places.as_slice();
    begins.retain(|begin| {
        let place = begin + word.place;
        rest = behind(rest, place);
        !stop.step() && rest.first() == Some(&place)
    });
    begins
}

/// What follows the places before this one. It is looked for near the start, where it is as a rule.
fn behind(places: &[u32], place: u32) -> &[u32] {
    let mut step = 1;
    while places.get(step).is_some_and(|at| *at < place) {
        step *= 2;
    }
    let near = &places[..places.len().min(step + 1)];
    &places[near.partition_point(|at| *at < place)..]
}

/// The words that are in the phrase more than once: their numbers, each kind together.
pub(super) fn repeated<T: PartialEq>(words: &[T]) -> Vec<Vec<usize>> {
    let same = |word: &T| (0..words.len()).filter(|other| words[*other] == *word).collect::<Vec<_>>();
    let groups = words.iter().enumerate().map(|(number, word)| (number, same(word)));
    groups.filter(|(number, group)| group.len() > 1 && group[0] == *number).map(|(_, group)| group).collect()
}

/// The sum over all places of the phrase, 1 for one whose words are not moved, less the more they are; 0: not there.
///
/// What it gives means nothing when it was told to stop.
pub(super) fn frequency(words: &mut [Word], repeated: &[Vec<usize>], slop: u32, stop: &Stop) -> f32 {
    if !begin(words, repeated) {
        return 0.0;
    }
    let share = |moves: i64| if moves <= i64::from(slop) { 1.0 / (1 + moves) as f32 } else { 0.0 };
    let mut frequency = 0.0;
    let mut last = words.iter().map(Word::start).max().unwrap_or_default();
    loop {
        if stop.step() {
            return frequency;
        }
        // The word that begins first goes on until it is not the first any more: then no move can be saved.
        let (first, second) = first_two(words);
        let mut moves = last - words[first].start();
        while words[first].start() <= second && !stop.step() {
            if !advance(words, first, repeated, &mut last) {
                return frequency + share(moves);
            }
            if words[first].start() <= second {
                moves = moves.min(last - words[first].start());
            }
        }
        frequency += share(moves);
    }
}

/// Puts each word at its first place, and the second of a repeated word at its second. False if there are too few.
fn begin(words: &mut [Word], repeated: &[Vec<usize>]) -> bool {
    words.iter_mut().for_each(|word| word.at = 0);
    for group in repeated {
        for (at, word) in group.iter().enumerate() {
            words[*word].at = at;
        }
    }
    words.iter().all(|word| word.at < word.places.len())
}

/// The word that begins first, and where the next one begins.
fn first_two(words: &[Word]) -> (usize, i64) {
    let first = (0..words.len()).min_by_key(|word| words[*word].order()).unwrap_or_default();
    let others = words.iter().enumerate().filter(|(word, _)| *word != first);
    (first, others.map(|(_, word)| word.start()).min().unwrap_or(i64::MAX))
}

/// Takes a word to its next place; of a repeated word, no two may be at the same. False at the end.
fn advance(words: &mut [Word], word: usize, repeated: &[Vec<usize>], last: &mut i64) -> bool {
    let mut word = word;
    let group = repeated.iter().find(|group| group.contains(&word));
    loop {
        if !words[word].advance() {
            return false;
        }
        *last = (*last).max(words[word].start());
        let collides = |other: &&usize| **other != word && words[**other].at == words[word].at;
        match group.and_then(|group| group.iter().find(collides)) {
            Some(other) if words[*other].order() < words[word].order() => word = *other,
            Some(_) => {}
            None => return true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of the phrase by number, where each of them is in the document.
    fn found(phrase: &[(usize, &[u32])], slop: u32) -> f32 {
        let kinds: Vec<usize> = phrase.iter().map(|(kind, _)| *kind).collect();
        let word = |(place, (_, places)): (usize, &(usize, &[u32]))| Word {
            places: places.to_vec(),
            ..Word::new(place as u32)
        };
        let mut words: Vec<Word> = phrase.iter().enumerate().map(word).collect();
        frequency(&mut words, &repeated(&kinds), slop, &Stop::never())
    }

    #[test]
    fn a_phrase_counts_the_less_the_more_its_words_are_moved() {
        assert_eq!(found(&[(0, &[4]), (1, &[5])], 3), 1.0);
        assert_eq!(found(&[(0, &[4]), (1, &[6])], 3), 0.5);
        assert_eq!(found(&[(0, &[5]), (1, &[4])], 3), 1.0 / 3.0);
        assert_eq!(found(&[(0, &[5]), (1, &[4])], 1), 0.0);
        assert_eq!(found(&[(0, &[1, 9]), (1, &[2, 11])], 1), 1.5);
        assert_eq!(found(&[(0, &[1]), (1, &[302])], 300), 1.0 / 301.0);
        assert_eq!(found(&[(0, &[1]), (1, &[302])], 299), 0.0);
    }

    #[test]
    fn a_word_of_the_document_stands_for_one_of_the_phrase() {
        assert_eq!(found(&[(0, &[4]), (0, &[4])], 9), 0.0);
        assert_eq!(found(&[(0, &[4, 5]), (0, &[4, 5])], 0), 1.0);
        assert_eq!(found(&[(0, &[4, 7]), (0, &[4, 7])], 2), 1.0 / 3.0);
        assert_eq!(found(&[(0, &[4, 7]), (0, &[4, 7])], 1), 0.0);
        assert_eq!(found(&[(0, &[1, 3]), (1, &[2]), (0, &[1, 3])], 0), 1.0);
    }

    /// The words of the phrase, in the order in which they are looked at.
    fn unmoved(words: &[(u32, &[u32])]) -> usize {
        let mut begins = None;
        for (place, places) in words {
            let mut word = Word { places: places.to_vec(), ..Word::new(*place) };
            begins = Some(starts(&mut word, begins, &Stop::never()));
        }
        begins.map_or(0, |begins| begins.len())
    }

    #[test]
    fn a_phrase_that_is_not_moved_is_found_wherever_it_begins() {
        assert_eq!(unmoved(&[(0, &[4, 9]), (1, &[5, 10])]), 2);
        assert_eq!(unmoved(&[(1, &[0, 5, 10]), (0, &[4, 9])]), 2);
        assert_eq!(unmoved(&[(0, &[1, 2, 3]), (1, &[1, 2, 3])]), 2);
        assert_eq!(unmoved(&[(0, &[1]), (1, &[0, 1, 3, 4, 5, 6, 7])]), 0);
        assert_eq!(unmoved(&[(2, &[0, 1]), (0, &[0, 1])]), 0);
    }

    /// Every choice of places: the phrase is there if one of them is close enough.
    fn is_there(words: &[&[u32]], slop: u32) -> bool {
        fn least(words: &[&[u32]], place: i64, low: i64, high: i64) -> i64 {
            let Some((first, rest)) = words.split_first() else { return high - low };
            let starts = first.iter().map(|at| i64::from(*at) - place);
            starts.map(|start| least(rest, place + 1, low.min(start), high.max(start))).min().unwrap_or(i64::MAX)
        }
        least(words, 0, i64::from(u32::MAX), i64::from(i32::MIN)) <= i64::from(slop)
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn no_begin_is_missed(
            words in proptest::collection::vec(proptest::collection::btree_set(0_u32..60, 0..40), 2..4),
        ) {
            let places: Vec<Vec<u32>> = words.iter().map(|places| places.iter().copied().collect()).collect();
            let phrase: Vec<(u32, &[u32])> = (0..).zip(places.iter().map(Vec::as_slice)).collect();
            let expected = (0..60).filter(|begin| (0..).zip(&words).all(|(place, at)| at.contains(&(begin + place))));
            proptest::prop_assert_eq!(unmoved(&phrase), expected.count());
        }

        #[test]
        fn no_choice_of_places_is_missed(
            words in proptest::collection::vec(proptest::collection::btree_set(0_u32..20, 1..6), 2..5),
            slop in 0_u32..12,
        ) {
            let places: Vec<Vec<u32>> = words.into_iter().map(|places| places.into_iter().collect()).collect();
            let phrase: Vec<(usize, &[u32])> = places.iter().map(Vec::as_slice).enumerate().collect();
            let words: Vec<&[u32]> = places.iter().map(Vec::as_slice).collect();
            proptest::prop_assert_eq!(found(&phrase, slop) > 0.0, is_there(&words, slop));
        }
    }
}
