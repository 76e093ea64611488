use super::evaluate;

/// Decodes bytes in chunks, the last without `stream`; returns JSON of the text.
fn decoded(new: &str, chunks: &[&[u8]]) -> String {
    evaluate(&format!(
        "const decoder = new TextDecoder({new}); const chunks = {chunks:?}; \
         JSON.stringify(chunks.map((chunk, i) => \
         decoder.decode(new Uint8Array(chunk), {{ stream: i < chunks.length - 1 }})).join(''))"
    ))
}

#[test]
fn a_streaming_decoder_takes_chunks_of_any_length() {
    let script = "const decoder = new TextDecoder(); let text = ''; \
                  const chunk = new TextEncoder().encode('é'.repeat(50_000)); \
                  for (const end of [1, 99_999]) { decoder.decode(chunk.subarray(0, 1), { stream: true }); \
                  text += decoder.decode(chunk.subarray(1, end), { stream: true }) + decoder.decode(chunk.subarray(end)); } \
                  text === 'é'.repeat(100_000)";
    assert_eq!(evaluate(script), "true");
}

#[test]
fn only_the_first_byte_order_mark_is_removed() {
    let mark: &[u8] = &[0xef, 0xbb, 0xbf];
    assert_eq!(decoded("", &[mark, mark, b"a"]), "\"\u{feff}a\"");
    assert_eq!(decoded("", &[b"a", mark]), "\"a\u{feff}\"");
    assert_eq!(decoded("", &[&[0xef], &[], &[0xbb, 0xbf], b"a"]), "\"a\"");
    assert_eq!(decoded("'utf-8', { ignoreBOM: true }", &[mark, b"a"]), "\"\u{feff}a\"");
    assert_eq!(decoded("'utf-16be'", &[&[0xfe], &[0xff, 0, 0x61]]), "\"a\"");
    assert_eq!(
        evaluate(
            "const again = new TextDecoder(); [1, 2].map(() => \
         again.decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61]))).join()"
        ),
        "a,a"
    );
}

#[test]
fn characters_are_joined_over_chunks() {
    let bytes = "é\u{1f600}中".as_bytes();
    let chunks: Vec<_> = bytes.chunks(1).collect();
    assert_eq!(decoded("", &chunks), "\"é\u{1f600}中\"");
    // Incomplete at the end, and not the start of any character.
    assert_eq!(decoded("", &[&[0xf0, 0x9f]]), "\"\u{fffd}\"");
    assert_eq!(decoded("", &[&[0xf0, 0x9f], &[0x61]]), "\"\u{fffd}a\"");
    assert_eq!(decoded("", &[&[0xed], &[0xa0], &[0x80]]), "\"\u{fffd}\u{fffd}\u{fffd}\"");
    assert_eq!(decoded("", &[&[0xc1], &[0x80]]), "\"\u{fffd}\u{fffd}\"");
    let script = "const fatal = new TextDecoder('utf-8', { fatal: true }); \
                  fatal.decode(new Uint8Array([0xe4]), { stream: true }); fatal.decode()";
    assert_eq!(evaluate(script), "TypeError: the data is not valid utf-8");
}

#[test]
fn utf_16_is_decoded_in_both_orders() {
    let text = "aé\u{1f600}";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (label, bytes) in
        [("'UTF-16LE'", &little), ("'utf-16'", &little), ("' ucs-2\\n'", &little), ("'utf-16be'", &big)]
    {
        for size in 1..bytes.len() {
            assert_eq!(
                decoded(label, &bytes.chunks(size).collect::<Vec<_>>()),
                format!("\"{text}\""),
                "{label} {size}"
            );
        }
    }
    // Unpaired surrogates, and half a character at the end.
    assert_eq!(decoded("'utf-16le'", &[&[0, 0xd8, 0x61, 0]]), "\"\u{fffd}a\"");
    assert_eq!(decoded("'utf-16le'", &[&[0, 0xdc]]), "\"\u{fffd}\"");
    assert_eq!(decoded("'utf-16le'", &[&[0, 0xd8, 0]]), "\"\u{fffd}\"");
    assert_eq!(decoded("'utf-16le'", &[&[0x61, 0, 0]]), "\"a\u{fffd}\"");
    assert_eq!(decoded("'utf-16le', { fatal: true }", &[&[0x61]]), "TypeError: the data is not valid utf-16le");
}

#[test]
fn latin1_is_windows_1252() {
    for label in ["'latin1'", "'iso-8859-1'", "'ascii'", "'Windows-1252'"] {
        assert_eq!(decoded(label, &[&[0x41, 0x80, 0x81, 0x9f, 0xe9, 0xff]]), "\"A€\u{81}Ÿéÿ\"");
    }
    assert_eq!(evaluate("new TextDecoder('l1').encoding"), "windows-1252");
}

#[test]
fn an_unknown_label_or_input_is_refused() {
    let message =
        "RangeError: the encoding \"shift_jis\" is not supported; use utf-8, utf-16le, utf-16be or windows-1252";
    assert_eq!(evaluate("new TextDecoder('shift_jis')"), message);
    for input in ["null", "'text'", "[1, 2]", "{}"] {
        let refused = evaluate(&format!("new TextDecoder().decode({input})"));
        assert_eq!(refused, "TypeError: input must be an ArrayBuffer, a typed array or a DataView", "{input}");
    }
    assert_eq!(evaluate("new TextDecoder().decode(new DataView(new Uint8Array([97, 98]).buffer, 1))"), "b");
    assert_eq!(evaluate("new TextDecoder('utf-8', null).decode(new Uint8Array([97]), null)"), "a");
}
