//! The rule for ids in filters: 24 hexadecimal digits for `_id` match the ObjectId and the string.

use mongodb::bson::{Bson, Document, doc, oid::ObjectId};

/// Returns a filter to which the rule is applied.
pub(super) fn match_both_id_forms(filter: Document) -> Document {
    let mut further = Vec::new();
    let mut applied: Document = filter
        .into_iter()
        .map(|(name, value)| match (name.as_str(), value) {
            ("_id", value) => {
                let (value, more) = id_condition(value);
                further.extend(more);
                (name, value)
            }
            ("$and" | "$or" | "$nor", Bson::Array(filters)) => {
                let filters = filters.into_iter().map(|filter| match filter {
                    Bson::Document(filter) => Bson::Document(match_both_id_forms(filter)),
                    other => other,
                });
                (name, Bson::Array(filters.collect()))
            }
            (_, value) => (name, value),
        })
        .collect();
    if further.is_empty() {
        return applied;
    }
    let more = doc! { "_id": { "$in": further } };
    applied = doc! { "$and": [applied, more] };
    applied
}

/// Returns the ObjectId and the string for an id of 24 hexadecimal digits; `None` for any other value.
fn both_forms(value: &Bson) -> Option<[Bson; 2]> {
    let text = value.as_str()?;
    let id = ObjectId::parse_str(text).ok()?;
    Some([Bson::ObjectId(id), Bson::String(text.to_owned())])
}

/// Returns the rewritten condition for `_id`. If the condition already has an `$in`, an `$eq` with 24 hexadecimal
/// digits can't become one in the same document: its two forms are returned, for a second condition on `_id`.
fn id_condition(value: Bson) -> (Bson, Vec<Bson>) {
    if let Some(forms) = both_forms(&value) {
        return (doc! { "$in": forms.to_vec() }.into(), Vec::new());
    }
    let Bson::Document(operators) = value else { return (value, Vec::new()) };
    if !operators.keys().next().is_some_and(|name| name.starts_with('$')) {
        return (Bson::Document(operators), Vec::new());
    }
    let has_in = operators.contains_key("$in");
    let mut further = Vec::new();
    let mut applied = Document::new();
    for (name, value) in operators {
        match (name.as_str(), value) {
            ("$in", Bson::Array(items)) => {
                let items = items.into_iter().flat_map(|item| match both_forms(&item) {
                    Some(forms) => forms.to_vec(),
                    None => vec![item],
                });
                applied.insert("$in", items.collect::<Vec<_>>());
            }
            ("$eq", value) => match both_forms(&value) {
                Some(forms) if has_in => further.extend(forms),
                Some(forms) => drop(applied.insert("$in", forms.to_vec())),
                None => drop(applied.insert("$eq", value)),
            },
            (_, value) => drop(applied.insert(name, value)),
        }
    }
    (Bson::Document(applied), further)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "65f0c0ffee65f0c0ffee65f0";

    #[track_caller]
    fn becomes(filter: Document, expected: Document) {
        assert_eq!(match_both_id_forms(filter.clone()), expected, "{filter}");
    }

    #[test]
    fn hexadecimal_ids_match_both_forms_in_an_equality_and_in_a_list() {
        let id = ObjectId::parse_str(HEX).unwrap();
        let both = doc! { "_id": { "$in": [id, HEX] } };
        becomes(doc! { "_id": HEX }, both.clone());
        becomes(doc! { "_id": { "$eq": HEX } }, both.clone());
        becomes(doc! { "_id": { "$in": [HEX, 1] }, "a": HEX }, doc! { "_id": { "$in": [id, HEX, 1] }, "a": HEX });
        becomes(doc! { "$or": [{ "_id": HEX }, { "b": 1 }] }, doc! { "$or": [both, { "b": 1 }] });
        let two = doc! { "_id": { "$in": [1, HEX], "$eq": HEX } };
        becomes(two, doc! { "$and": [{ "_id": { "$in": [1, id, HEX] } }, { "_id": { "$in": [id, HEX] } }] });
    }

    #[test]
    fn other_filters_stay_as_they_are() {
        let id = ObjectId::parse_str(HEX).unwrap();
        for filter in [
            doc! {},
            doc! { "_id": id },
            doc! { "_id": "65f0c0ffee" },
            doc! { "_id": { "$ne": HEX } },
            doc! { "_id": { "$gt": HEX, "$exists": true } },
            doc! { "_id": { "a": HEX } },
            doc! { "id": HEX, "$where": "x" },
            doc! { "_id": { "$nin": [HEX] }, "$and": 1 },
        ] {
            becomes(filter.clone(), filter);
        }
    }
}
