use super::text::decode;
use std::borrow::Cow;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// null.
    Null,
    /// true or false.
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// A list.
    List,
    /// An object.
    Object,
}

/// A value inside a document.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    pub(super) text: &'a str, // the whole document
    pub(super) from: usize,
    pub(super) to: usize,
}

impl<'a> Node<'a> {
    /// What the value is.
    pub fn kind(&self) -> Kind {
        match self.text.as_bytes()[self.from] {
            b'{' => Kind::Object,
            b'[' => Kind::List,
            b'"' => Kind::String,
            b't' | b'f' => Kind::Bool,
            b'n' => Kind::Null,
            _ => Kind::Number,
        }
    }

    /// The value as it is written.
    pub fn raw(&self) -> &'a str {
        &self.text[self.from..self.to]
    }

    /// A string, decoded, with U+FFFD for half a surrogate pair; `None` if this is no string.
    pub fn text(&self) -> Option<String> {
        self.inside().map(|inside| decode(inside).0.into_owned())
    }

    /// Whether this is a string that decodes to a text. Half a surrogate pair equals nothing.
    pub fn is(&self, text: &str) -> bool {
        self.exact().map_or(false, |own| own == text)
    }

    /// A string decoded; `None` if this is no string, or one that has no exact decoding.
    pub(super) fn exact(&self) -> Option<Cow<'a, str>> {
        match decode(self.inside()?) {
            (text, true) => Some(text),
            _ => None,
        }
    }

    fn inside(&self) -> Option<&'a str> {
        (self.kind() == Kind::String).then(|| &self.text[self.from + 1..self.to - 1])
    }

    /// The member of an object with a name, the last one if there are several, as most readers of JSON
    /// have it. `None` if there is none, or if this is no object.
    pub fn member(&self, name: &str) -> Option<Node<'a>> {
        self.members().filter(|(key, _)| key.is(name)).last().map(|(_, value)| value)
    }

    /// The names and values of an object's members in their order; none of another value.
    pub fn members(&self) -> impl Iterator<Item = (Node<'a>, Node<'a>)> {
        self.slots().filter_map(|slot| slot.key.map(|key| (key, slot.value)))
    }

    /// The elements of a list in their order; none of another value.
    pub fn elements(&self) -> impl Iterator<Item = Node<'a>> {
        self.slots().filter_map(|slot| slot.key.is_none().then_some(slot.value))
    }

    pub(super) fn slots(&self) -> Slots<'a> {
        let object = self.kind() == Kind::Object;
        let bytes = self.text.as_bytes();
        let empty =
            !object && self.kind() != Kind::List || skip_space(bytes, self.from + 1) == self.to - 1;
        Slots { node: *self, object, next: if empty { self.to } else { self.from + 1 } }
    }
}

/// An element or member with the white space around it: what stands between brackets and commas.
pub(super) struct Slot<'a> {
    pub from: usize,
    pub to: usize,
    pub key: Option<Node<'a>>,
    pub value: Node<'a>,
}

impl<'a> Slot<'a> {
    pub fn name(&self) -> Option<Cow<'a, str>> {
        self.key.and_then(|key| key.exact())
    }
}

pub(super) struct Slots<'a> {
    node: Node<'a>,
    object: bool,
    next: usize,
}

impl<'a> Iterator for Slots<'a> {
    type Item = Slot<'a>;

    fn next(&mut self) -> Option<Slot<'a>> {
        if self.next >= self.node.to {
            return None;
        }
        let from = self.next;
        let mut value = self.value(from);
        let mut key = None;
        if self.object {
            key = Some(value);
            let colon = skip_space(self.node.text.as_bytes(), value.to);
            value = self.value(colon + 1);
        }
        let to = skip_space(self.node.text.as_bytes(), value.to);
        self.next = to + 1; // behind the comma, or behind the end
        Some(Slot { from, to, key, value })
    }
}

impl<'a> Slots<'a> {
    fn value(&self, at: usize) -> Node<'a> {
        let text = self.node.text;
        let from = skip_space(text.as_bytes(), at);
        Node { text, from, to: skip(text.as_bytes(), from) }
    }
}

pub(super) fn skip_space(text: &[u8], mut i: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = text.get(i) {
        i += 1;
    }
    i
}

/// Returns where a string ends that begins at i. The text is JSON.
pub(super) fn skip_string(text: &[u8], mut i: usize) -> usize {
    loop {
        i += 1;
        match text.get(i) {
            Some(b'"') => return i + 1,
            Some(b'\\') => i += 1,
            Some(_) => {}
            None => return text.len(),
        }
    }
}

/// Returns where a value ends that begins at i. The text is JSON, so of what is inside the value only
/// the brackets count.
fn skip(text: &[u8], mut i: usize) -> usize {
    let mut depth = 0;
    while let Some(byte) = text.get(i) {
        match byte {
            b'"' => i = skip_string(text, i),
            b'{' | b'[' => {
                depth += 1;
                i += 1;
            }
            b'}' | b']' => {
                depth -= 1;
                i += 1;
            }
            _ if depth > 0 => {
                i += 1;
                continue;
            }
            // A number or a word.
            _ => {
                let more = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.');
                while text.get(i).map_or(false, more) {
                    i += 1;
                }
            }
        }
        if depth == 0 {
            break;
        }
    }
    i
}
