use std::borrow::Cow;

/// Writes a text as a JSON string, as `JSON.stringify` does: only what has to be escaped is.
///
/// ```
/// assert_eq!(pintle::json::quote("a \"b\"\n\u{1}é"), r#""a \"b\"\n\u0001é""#);
/// ```
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    let mut from = 0;
    for (i, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            0x08 => "\\b",
            b'\t' => "\\t",
            b'\n' => "\\n",
            0x0c => "\\f",
            b'\r' => "\\r",
            0..=0x1f => "\\u00",
            _ => continue,
        };
        out.push_str(&text[from..i]);
        out.push_str(escape);
        if escape.len() > 2 {
            out.push(if byte < 0x10 { '0' } else { '1' });
            out.push(char::from(b"0123456789abcdef"[usize::from(byte & 15)]));
        }
        from = i + 1;
    }
    out.push_str(&text[from..]);
    out.push('"');
    out
}

/// Decodes what stands between the quotation marks of a string. The flag is false if there was half a
/// surrogate pair, which became U+FFFD. The text is JSON.
pub(super) fn decode(inside: &str) -> (Cow<'_, str>, bool) {
    if !inside.contains('\\') {
        return (Cow::Borrowed(inside), true);
    }
    let mut out = String::with_capacity(inside.len());
    let (mut rest, mut exact) = (inside, true);
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escape = rest.as_bytes()[at + 1];
        rest = &rest[at + 2..];
        out.push(match escape {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let (found, length) = unicode(rest);
                rest = &rest[length..];
                exact &= found.is_some();
                found.unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            other => char::from(other), // quotation mark, backslash, solidus
        });
    }
    out.push_str(rest);
    (Cow::Owned(out), exact)
}

/// Reads what follows \u: a character, or `None` for half of one, and how many bytes it took.
fn unicode(rest: &str) -> (Option<char>, usize) {
    let unit = |at: usize| rest.get(at..at + 4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let first = unit(0).unwrap_or(0xdc00);
    if let 0xd800..=0xdbff = first {
        if rest.get(4..6) == Some("\\u") {
            if let Some(second @ 0xdc00..=0xdfff) = unit(6) {
                return (char::from_u32(0x1_0000 + ((first - 0xd800) << 10 | (second - 0xdc00))), 10);
            }
        }
    }
    (char::from_u32(first), 4)
}
