//! Writing an answer.

/// The answer of an operation that has nothing to say.
pub(crate) fn nothing() -> Vec<u8> {
    vec![0x81, 0x00]
}

/// The beginning of an answer with a value, which has to be written behind it.
pub(crate) fn value(room: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(room + 11);
    out.extend_from_slice(&[0x82, 0x01]);
    out
}

/// An answer with an error.
pub(crate) fn failure(code: &str, message: &str) -> Vec<u8> {
    let mut out = vec![0x82, 0x02];
    map(&mut out, 2);
    text(&mut out, "code");
    text(&mut out, code);
    text(&mut out, "message");
    text(&mut out, message);
    out
}

/// Begins a map of n keys; each key and its value follow.
pub(crate) fn map(out: &mut Vec<u8>, n: usize) {
    head(out, 5, n as u64);
}

/// Begins a list of n elements, which follow.
pub(crate) fn list(out: &mut Vec<u8>, n: usize) {
    head(out, 4, n as u64);
}

pub(crate) fn number(out: &mut Vec<u8>, n: u64) {
    head(out, 0, n);
}

pub(crate) fn text(out: &mut Vec<u8>, text: &str) {
    head(out, 3, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

pub(crate) fn bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    head(out, 2, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn head(out: &mut Vec<u8>, major: u8, n: u64) {
    let wide = n.to_be_bytes();
    let (info, from) = match n {
        0..=23 => (n as u8, 8),
        24..=0xff => (24, 7),
        0x100..=0xffff => (25, 6),
        0x1_0000..=0xffff_ffff => (26, 4),
        _ => (27, 0),
    };
    out.push(major << 5 | info);
    out.extend_from_slice(&wide[from..]);
}
