//! Messages of the protocol and their parts.

pub(super) fn int(bytes: &[u8], at: usize) -> i32 {
    bytes[at..].first_chunk().map_or(0, |bytes| i32::from_be_bytes(*bytes))
}

pub(super) fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    with_length(tag, i32::try_from(body.len() + 4).unwrap_or(i32::MAX), body)
}

pub(super) fn with_length(tag: u8, length: i32, body: &[u8]) -> Vec<u8> {
    [&[tag], length.to_be_bytes().as_slice(), body].concat()
}

pub(super) fn field(kind: u8, text: &str) -> Vec<u8> {
    [&[kind], text.as_bytes(), &[0]].concat()
}

/// A column of a description.
pub(super) fn column(name: &str, ty: u32, format: i16) -> Vec<u8> {
    let text = [name.as_bytes(), &[0]].concat();
    [&text[..], &[0; 6], &ty.to_be_bytes(), &[0, 4, 0, 0, 0, 0], &format.to_be_bytes()].concat()
}

/// The formats of the results, behind the names in a message that binds.
pub(super) fn formats(mut rest: &[u8]) -> Vec<i16> {
    let mut short = |length: usize| {
        let (part, left) = rest.split_at_checked(length).unwrap_or_default();
        rest = left;
        part.to_vec()
    };
    let number = |bytes: &[u8]| bytes.first_chunk().map_or(0, |bytes| i16::from_be_bytes(*bytes));
    let count = number(&short(2));
    short(2 * usize::try_from(count).unwrap_or_default());
    for _ in 0..number(&short(2)) {
        let length = int(&[short(4), vec![0; 4]].concat(), 0);
        short(usize::try_from(length).unwrap_or_default());
    }
    (0..number(&short(2))).map(|_| number(&short(2))).collect()
}

/// The format of a column: one stands for all, none for text.
pub(super) fn format_of(formats: &[i16], at: usize) -> i16 {
    let only = formats.first().filter(|_| formats.len() == 1);
    formats.get(at).or(only).copied().unwrap_or_default()
}
