use super::Address;
use crate::value::Value;

/// One value that a selector found.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry<'a> {
    /// Where it is.
    pub at: Address,
    /// The value, as far as the selector shows it.
    pub value: Shown<'a>,
}

/// A value of a payload, as far as its selector shows it.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown<'a> {
    /// null.
    Null,
    /// true or false.
    Bool(bool),
    /// A number, as the next one of 64 bits.
    Number(f64),
    /// A string, with U+FFFD for half a surrogate pair.
    Text(&'a str),
    /// A string that is longer than the selector's `clip`.
    Clipped {
        /// Its beginning.
        head: &'a str,
        /// Its end.
        tail: &'a str,
        /// How many bytes it has in UTF-8.
        bytes: u64,
    },
    /// A list, of which only the length is shown.
    List(usize),
    /// Those members of an object that the selector wants and the object has. Objects and lists among
    /// them come without what is inside.
    Object(Vec<(&'a str, Shown<'a>)>),
}

impl<'a> Shown<'a> {
    /// A member of an object, if the view shows one.
    pub fn member(&self, name: &str) -> Option<&Shown<'a>> {
        match self {
            Shown::Object(members) => members.iter().find(|(n, _)| *n == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// A string that is shown whole, if this is one.
    pub fn text(&self) -> Option<&'a str> {
        match self {
            Shown::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether this is a string, whole or clipped.
    pub fn is_string(&self) -> bool {
        matches!(self, Shown::Text(_) | Shown::Clipped { .. })
    }

    /// Whether this is a string, whole or clipped, that begins and ends with the given texts. Of a
    /// clipped one only what the view shows can be compared, so choose a `clip` of more than twice the
    /// longer text.
    pub fn is_between(&self, prefix: &str, suffix: &str) -> bool {
        match self {
            Shown::Text(text) => {
                text.len() >= prefix.len() + suffix.len()
                    && text.starts_with(prefix)
                    && text.ends_with(suffix)
            }
            Shown::Clipped { head, tail, .. } => head.starts_with(prefix) && tail.ends_with(suffix),
            _ => false,
        }
    }

    fn from_request(value: &Value<'a>) -> Self {
        match value {
            Value::Text(text) => Shown::Text(text),
            Value::Number(number) => Shown::Number(*number),
            Value::Bool(truth) => Shown::Bool(*truth),
            Value::Null | Value::Bytes(_) | Value::List(_) => Shown::Null,
            Value::Map(_) => {
                if let Some(length) = value.get("list").number() {
                    return Shown::List(length as usize);
                }
                if let Some(head) = value.get("head").text() {
                    let tail = value.get("tail").text().unwrap_or_default();
                    let bytes = value.get("bytes").number().unwrap_or_default() as u64;
                    return Shown::Clipped { head, tail, bytes };
                }
                let members = value.get("object").entries();
                Shown::Object(members.iter().map(|(name, v)| (*name, Shown::from_request(v))).collect())
            }
        }
    }
}

impl<'a> Entry<'a> {
    pub(super) fn from_request(entry: &Value<'a>) -> Self {
        Entry {
            at: Address::from_request(entry.get("at")),
            value: Shown::from_request(entry.get("value")),
        }
    }
}
