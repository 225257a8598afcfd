//! The little of CBOR that a guest needs: reading a request and writing an answer.

mod answer;
mod check;
mod reader;

pub(crate) use answer::{bytes, failure, list, map, nothing, number, text, value};

use crate::value::Value;
use reader::Reader;

/// Where a request does not follow the ABI. The host writes requests, so it is never seen unless host
/// and guest disagree.
#[derive(Debug, PartialEq)]
pub(crate) struct Malformed(pub &'static str);

/// The text keys of a request. What is under one is read when it is asked for, so what nobody wants takes
/// no memory.
pub(crate) struct Fields<'a>(Vec<(&'a str, &'a [u8])>);

impl<'a> Fields<'a> {
    /// Checks all of a request. One that is no map has no keys.
    pub(crate) fn parse(data: &'a [u8]) -> Result<Self, Malformed> {
        check::whole(data)?;
        Reader::new(data).fields().map(Fields)
    }

    /// What is under a key; null if there is none.
    pub(crate) fn get(&self, key: &str) -> Value<'a> {
        let found = self.0.iter().find(|(name, _)| *name == key);
        found.and_then(|(_, item)| Reader::new(item).value().ok()).unwrap_or_default()
    }

    /// The text under a key; empty if there is none.
    pub(crate) fn text(&self, key: &str) -> &'a str {
        self.get(key).text().unwrap_or_default()
    }
}

#[cfg(test)]
pub(crate) mod tests;
