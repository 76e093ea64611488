//! Parts of JSON that namespaces write themselves.

/// Writes a string.
pub(crate) fn quote(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        *out += &rest[..at];
        match rest.as_bytes()[at] {
            b'\n' => *out += "\\n",
            mark @ (b'"' | b'\\') => out.extend(['\\', mark.into()]),
            control => out.extend(format!("\\u{control:04x}").chars()),
        }
        rest = &rest[at + 1..];
    }
    *out += rest;
    out.push('"');
}

/// Writes bytes as hexadecimal digits.
pub(crate) fn hex(out: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        out.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]].map(char::from));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_string_is_read_back_as_it_was() {
        let text: String = (0..0x250).filter_map(char::from_u32).chain("\\u0000 \u{2028} 😀".chars()).collect();
        let mut json = String::new();
        quote(&mut json, &text);
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }

    #[test]
    fn bytes_have_two_digits_each() {
        let mut out = String::new();
        hex(&mut out, &[0, 0x0a, 0xff]);
        assert_eq!(out, "000aff");
    }
}
