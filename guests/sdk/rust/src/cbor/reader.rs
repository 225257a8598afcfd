use super::Malformed;
use crate::value::Value;
use std::str;

pub(super) const UNSIGNED: u8 = 0;
pub(super) const NEGATIVE: u8 = 1;
pub(super) const BYTES: u8 = 2;
pub(super) const TEXT: u8 = 3;
pub(super) const LIST: u8 = 4;
pub(super) const MAP: u8 = 5;
pub(super) const SIMPLE: u8 = 7;

/// The first bytes of an item: its major type, the five bits beside it, its argument.
#[derive(Clone, Copy)]
pub(super) struct Head {
    pub major: u8,
    pub info: u8,
    pub n: u64,
}

/// Goes over items. Only heads, contents and check look at what is wrong; the rest relies on the check
/// of the whole, for example that a list has no more elements than bytes.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Reader { rest: data }
    }

    pub fn take(&mut self, n: u64) -> Result<&'a [u8], Malformed> {
        if n > self.rest.len() as u64 {
            return Err(Malformed("it is cut off"));
        }
        let (taken, rest) = self.rest.split_at(n as usize);
        self.rest = rest;
        Ok(taken)
    }

    pub fn head(&mut self) -> Result<Head, Malformed> {
        let first = self.take(1)?[0];
        let (major, info) = (first >> 5, first & 31);
        let n = match info {
            0..=23 => u64::from(info),
            24..=27 => self.take(1 << (info - 24))?.iter().fold(0, |n, b| n << 8 | u64::from(*b)),
            _ => return Err(Malformed("an item has no definite length")),
        };
        Ok(Head { major, info, n })
    }

    pub fn text(&mut self, n: u64) -> Result<&'a str, Malformed> {
        str::from_utf8(self.take(n)?).map_err(|_| Malformed("a text is not UTF-8"))
    }

    /// Reads the key of a map; `None` if it is no text.
    fn key(&mut self) -> Result<Option<&'a str>, Malformed> {
        let head = self.head()?;
        (head.major == TEXT).then(|| self.text(head.n)).transpose()
    }

    /// Passes over an item and returns it.
    pub fn skip(&mut self) -> Result<&'a [u8], Malformed> {
        let from = self.rest;
        let mut items: u64 = 1;
        while items > 0 {
            items -= 1;
            let head = self.head()?;
            match head.major {
                BYTES | TEXT => drop(self.take(head.n)?),
                LIST => items += head.n,
                MAP => items += 2 * head.n,
                _ => {}
            }
        }
        Ok(&from[..from.len() - self.rest.len()])
    }

    /// Reads the text keys of a map and what is under them; none of anything else.
    pub fn fields(&mut self) -> Result<Vec<(&'a str, &'a [u8])>, Malformed> {
        let head = self.head()?;
        let n = if head.major == MAP { head.n as usize } else { 0 };
        let mut fields = Vec::with_capacity(n);
        for _ in 0..n {
            let key = self.key()?;
            let item = self.skip()?;
            fields.extend(key.map(|name| (name, item)));
        }
        Ok(fields)
    }

    pub fn value(&mut self) -> Result<Value<'a>, Malformed> {
        let Head { major, info, n } = self.head()?;
        Ok(match major {
            UNSIGNED => Value::Number(n as f64),
            NEGATIVE => Value::Number(-1.0 - n as f64),
            BYTES => Value::Bytes(self.take(n)?),
            TEXT => Value::Text(self.text(n)?),
            LIST => {
                let mut items = Vec::with_capacity(n as usize);
                for _ in 0..n {
                    items.push(self.value()?);
                }
                Value::List(items)
            }
            MAP => {
                let mut entries = Vec::with_capacity(n as usize);
                for _ in 0..n {
                    match self.key()? {
                        Some(name) => entries.push((name, self.value()?)),
                        None => drop(self.skip()?),
                    }
                }
                Value::Map(entries)
            }
            _ => match info {
                20 | 21 => Value::Bool(info == 21),
                25 => Value::Number(half(n as u16)),
                26 => Value::Number(f64::from(f32::from_bits(n as u32))),
                27 => Value::Number(f64::from_bits(n)),
                _ => Value::Null,
            },
        })
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
