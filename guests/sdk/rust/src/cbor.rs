//! The little of CBOR that a guest needs: reading a request and writing an answer.

use crate::value::Value;
use std::str;

/// Where a request does not follow the ABI. The host writes requests, so it is never seen unless host
/// and guest disagree.
#[derive(Debug, PartialEq)]
pub(crate) struct Malformed(pub &'static str);

const MAX_DEPTH: usize = 32;
const MAX_ITEMS: u64 = 131_072;

/// Reads one item, which has to be all there is.
pub(crate) fn parse(data: &[u8]) -> Result<Value<'_>, Malformed> {
    let mut reader = Reader { rest: data };
    let value = reader.item(MAX_DEPTH)?;
    if reader.rest.is_empty() {
        Ok(value)
    } else {
        Err(Malformed("there are bytes behind it"))
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, n: u64) -> Result<&'a [u8], Malformed> {
        if n > self.rest.len() as u64 {
            return Err(Malformed("it is cut off"));
        }
        let (taken, rest) = self.rest.split_at(n as usize);
        self.rest = rest;
        Ok(taken)
    }

    /// The first bytes of an item: its major type, its additional information, its argument.
    fn head(&mut self) -> Result<(u8, u8, u64), Malformed> {
        let first = self.take(1)?[0];
        let (major, info) = (first >> 5, first & 31);
        let argument = match info {
            0..=23 => u64::from(info),
            24..=27 => self.take(1 << (info - 24))?.iter().fold(0, |n, b| n << 8 | u64::from(*b)),
            _ => return Err(Malformed("an item has no definite length")),
        };
        Ok((major, info, argument))
    }

    fn item(&mut self, depth: usize) -> Result<Value<'a>, Malformed> {
        let (major, info, n) = self.head()?;
        Ok(match major {
            0 => Value::Number(n as f64),
            1 => Value::Number(-1.0 - n as f64),
            2 => Value::Bytes(self.take(n)?),
            3 => Value::Text(self.text(n)?),
            4 => {
                let n = self.count(n, depth)?;
                let mut items = Vec::with_capacity(n.min(self.rest.len()));
                for _ in 0..n {
                    items.push(self.item(depth - 1)?);
                }
                Value::List(items)
            }
            5 => {
                let n = self.count(n, depth)?;
                let mut entries = Vec::with_capacity(n.min(self.rest.len() / 2));
                for _ in 0..n {
                    let key = self.item(0)?;
                    let value = self.item(depth - 1)?;
                    match key {
                        Value::Text(name) => entries.push((name, value)),
                        Value::Number(_) => {} // an unknown key
                        _ => return Err(Malformed("a key is neither text nor number")),
                    }
                }
                Value::Map(entries)
            }
            7 => match info {
                20 | 21 => Value::Bool(info == 21),
                22 => Value::Null,
                25 => Value::Number(half(n as u16)),
                26 => Value::Number(f64::from(f32::from_bits(n as u32))),
                27 => Value::Number(f64::from_bits(n)),
                _ => return Err(Malformed("a simple value is unknown")),
            },
            _ => return Err(Malformed("an item has a tag")),
        })
    }

    fn text(&mut self, n: u64) -> Result<&'a str, Malformed> {
        str::from_utf8(self.take(n)?).map_err(|_| Malformed("a text is not UTF-8"))
    }

    fn count(&self, n: u64, depth: usize) -> Result<usize, Malformed> {
        if depth == 0 {
            return Err(Malformed("it nests too deep"));
        }
        if n > MAX_ITEMS {
            return Err(Malformed("a list or map is too long"));
        }
        Ok(n as usize)
    }
}

/// Widens a number of 16 bits, in which the deterministic encoding writes every float that fits.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    sign * match exponent {
        0 => fraction / 16_777_216.0,
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        // 2 to the power of exponent, less the 25 of which 10 belong to the fraction.
        _ => (1024.0 + fraction) * f64::from_bits(((exponent - 25 + 1023) as u64) << 52),
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_of_head() {
        for data in [
            &[0x07][..],
            &[0x18, 7],
            &[0x19, 0, 7],
            &[0x1a, 0, 0, 0, 7],
            &[0x1b, 0, 0, 0, 0, 0, 0, 0, 7],
        ] {
            assert_eq!(parse(data), Ok(Value::Number(7.0)));
        }
        for data in [
            &[0x63, b'a', b'b', b'c'][..],
            &[0x78, 3, b'a', b'b', b'c'],
            &[0x79, 0, 3, b'a', b'b', b'c'],
        ] {
            assert_eq!(parse(data), Ok(Value::Text("abc")));
        }
        assert_eq!(parse(&[0x26]), Ok(Value::Number(-7.0)));
    }

    #[test]
    fn floats_of_every_width() {
        for (data, want) in [
            (&[0xf9, 0x3e, 0x00][..], 1.5),
            (&[0xf9, 0xfb, 0xff], -65504.0),
            (&[0xf9, 0x00, 0x01], 2f64.powi(-24)),
            (&[0xf9, 0x04, 0x00], 2f64.powi(-14)),
            (&[0xf9, 0x7c, 0x00], f64::INFINITY),
            (&[0xfa, 0x3f, 0xc0, 0, 0], 1.5),
            (&[0xfb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0], 1.5),
        ] {
            assert_eq!(parse(data), Ok(Value::Number(want)));
        }
        assert!(matches!(parse(&[0xf9, 0x7e, 0x00]), Ok(Value::Number(n)) if n.is_nan()));
    }

    #[test]
    fn what_is_refused() {
        let deep = vec![0x81; MAX_DEPTH + 1];
        for data in [
            &[][..],
            &[0x61],                                                 // cut off
            &[0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], // a list of everything
            &[0xbb, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            &[0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            &[0x9a, 0, 2, 0, 0], // cut off
            &[0x61, 0xff],       // not UTF-8
            &[0x9f, 0xff],       // indefinite
            &[0xc0, 0x00],       // a tag
            &[0xf7],             // undefined
            &[0xf8, 0x20],       // a simple value
            &[0xa1, 0x80, 0x00], // a list as key
            &[0x00, 0x00],       // more than one
            &deep,
        ] {
            assert!(parse(data).is_err(), "{:x?}", data);
        }
        let mut fits = vec![0x81; MAX_DEPTH];
        fits.push(0x00);
        assert!(parse(&fits).is_ok());
    }

    #[test]
    fn what_is_written_is_read() {
        let mut out = Vec::new();
        map(&mut out, 3);
        text(&mut out, "numbers");
        let numbers = [0, 23, 24, 255, 256, 65_535, 65_536, u64::from(u32::MAX), 1 << 32];
        list(&mut out, numbers.len());
        numbers.iter().for_each(|n| number(&mut out, *n));
        text(&mut out, "bytes");
        bytes(&mut out, &[0xff; 300]);
        number(&mut out, 5); // a key that nobody knows
        number(&mut out, 5);
        let read = parse(&out).unwrap();
        let want: Vec<_> = numbers.iter().map(|n| Some(*n as f64)).collect();
        assert_eq!(read.get("numbers").items().iter().map(Value::number).collect::<Vec<_>>(), want);
        assert_eq!(read.get("bytes").bytes(), Some(&[0xff; 300][..]));
        assert_eq!(read.entries().len(), 2);
        assert_eq!(failure("a", "b"), b"\x82\x02\xa2\x64code\x61a\x67message\x61b");
    }
}
