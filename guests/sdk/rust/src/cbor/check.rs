//! The rules of every message. They are applied to all of it before anything is read, so that no claim of
//! a request is believed, and no part that a reader would pass over is left out.

use super::reader::{Head, Reader, BYTES, LIST, MAP, NEGATIVE, SIMPLE, TEXT, UNSIGNED};
use super::Malformed;
use crate::order::order;

pub(super) const MAX_DEPTH: usize = 32;
const MAX_ITEMS: u64 = 131_072;

/// Checks that the data is one item.
pub(super) fn whole(data: &[u8]) -> Result<(), Malformed> {
    let mut reader = Reader::new(data);
    item(&mut reader, MAX_DEPTH)?;
    if reader.rest.is_empty() {
        Ok(())
    } else {
        Err(Malformed("there are bytes behind it"))
    }
}

fn item(reader: &mut Reader<'_>, depth: usize) -> Result<(), Malformed> {
    let Head { major, info, n } = reader.head()?;
    match major {
        UNSIGNED | NEGATIVE => {}
        BYTES => drop(reader.take(n)?),
        TEXT => drop(reader.text(n)?),
        LIST | MAP if depth == 0 => return Err(Malformed("it nests too deep")),
        LIST | MAP if n > MAX_ITEMS => return Err(Malformed("a list or map is too long")),
        LIST => {
            for _ in 0..n {
                item(reader, depth - 1)?;
            }
        }
        MAP => entries(reader, n, depth - 1)?,
        SIMPLE if matches!(info, 20..=22 | 25..=27) => {}
        SIMPLE => return Err(Malformed("a simple value is unknown")),
        _ => return Err(Malformed("an item has a tag")),
    }
    Ok(())
}

/// What a key says, in the order of the deterministic encoding: numbers before texts, short texts before
/// long ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key<'a> {
    Number(u64),
    Text(usize, &'a str),
}

fn key<'a>(reader: &mut Reader<'a>) -> Result<Key<'a>, Malformed> {
    let head = reader.head()?;
    match head.major {
        UNSIGNED => Ok(Key::Number(head.n)),
        TEXT => reader.text(head.n).map(|text| Key::Text(text.len(), text)),
        _ => Err(Malformed("a key is neither text nor unsigned number")),
    }
}

fn entries(reader: &mut Reader<'_>, n: u64, depth: usize) -> Result<(), Malformed> {
    let mut again = *reader;
    let (mut before, mut ascending) = (None, true);
    for _ in 0..n {
        let next = key(reader)?;
        ascending = ascending && before.map_or(true, |before| before < next);
        before = Some(next);
        item(reader, depth)?;
    }
    // Hosts write keys in ascending order, in which none can be there twice.
    if ascending {
        return Ok(());
    }
    let mut keys = Vec::with_capacity(n as usize);
    for _ in 0..n {
        keys.push(key(&mut again)?);
        again.skip()?;
    }
    let sorted = order(keys.len(), &|a, b| keys[a].cmp(&keys[b]));
    if sorted.windows(2).any(|pair| keys[pair[0]] == keys[pair[1]]) {
        return Err(Malformed("a key is there twice"));
    }
    Ok(())
}
