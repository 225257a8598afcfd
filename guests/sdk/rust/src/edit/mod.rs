//! Adapters whose payloads stay in the host: the interface `provider-payload-adapters/v2`.
//!
//! The adapter's entry in `pintle.toml` says which places of a payload the guest wants to see (`view`)
//! and which it may change (`write`). The guest gets those places, however large the payload is, and
//! answers edits of it.
//!
//! ```
//! use pintle::edit::{Answer, Edit, Request, Shown};
//! use pintle::json::quote;
//!
//! // The prompt is the member `system` of a payload, and notices are elements of the list `turns`.
//! fn adapt(request: &Request) -> pintle::Result<Answer> {
//!     let mut answer = Answer::default();
//!     for found in &request.view {
//!         match (found.at.name(0), &found.value) {
//!             (Some("system"), prompt) if prompt.is_string() => {
//!                 answer.set_prompt(&found.at, request.system_prompt)
//!             }
//!             (Some("turns"), Shown::List(length)) => {
//!                 for message in &request.messages {
//!                     let end = found.at.element(*length);
//!                     answer.messages.push(Edit::insert(end, quote(message.content)));
//!                 }
//!             }
//!             _ => {}
//!         }
//!     }
//!     Ok(answer)
//! }
//! # let answer = adapt(&Request::default()).unwrap();
//! # assert_eq!(answer, Answer::default());
//! ```

mod address;
mod view;

pub use address::{Address, Step};
pub use view::{Entry, Shown};

use crate::cbor::{self, Fields};
use crate::context::Message;
use crate::json;

/// A request for the edits of one payload.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request<'a> {
    /// The adapter's id in `pintle.toml`.
    pub id: &'a str,
    /// The provider that the payload goes to.
    pub provider: &'a str,
    /// The API of the payload; empty if the host does not know it.
    pub api: &'a str,
    /// The prompt that shall be in the payload.
    pub system_prompt: &'a str,
    /// The developer messages that shall be in it, in their order.
    pub messages: Vec<Message<'a>>,
    /// What the selectors of `pintle.toml` found: those of one selector in the order of the document,
    /// selectors in the order of the file.
    pub view: Vec<Entry<'a>>,
}

impl<'a> Request<'a> {
    pub(crate) fn from_request(request: &Fields<'a>) -> Self {
        Request {
            id: request.text("id"),
            provider: request.text("provider"),
            api: request.text("api"),
            system_prompt: request.text("systemPrompt"),
            messages: Message::list(request),
            view: request.get("view").items().iter().map(Entry::from_request).collect(),
        }
    }
}

/// What is to be changed. The default changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The payload's prompt; `None` if there is none in it.
    pub prompt: Option<Prompt>,
    /// Makes the payload's developer messages those of the request. These edits are carried out in any
    /// case, so they must be right whether or not those of the prompt are carried out too.
    pub messages: Vec<Edit>,
}

/// Where a payload's prompt is, and the edits that put another one there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The address of the string that is the prompt.
    pub at: Address,
    /// They are carried out only if that string equals the prompt that the host had built, which the
    /// guest does not know.
    pub edits: Vec<Edit>,
}

impl Answer {
    /// Replaces the string at an address, which is the payload's prompt, by a text.
    pub fn set_prompt(&mut self, at: &Address, text: &str) {
        let edits = vec![Edit::set(at.clone(), json::quote(text))];
        self.prompt = Some(Prompt { at: at.clone(), edits });
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let parts = usize::from(self.prompt.is_some()) + usize::from(!self.messages.is_empty());
        if parts == 0 {
            return cbor::nothing();
        }
        let mut out = cbor::value(0);
        cbor::map(&mut out, parts);
        if let Some(prompt) = &self.prompt {
            cbor::text(&mut out, "prompt");
            cbor::map(&mut out, 2);
            cbor::text(&mut out, "at");
            prompt.at.encode(&mut out);
            encode_edits(&mut out, &prompt.edits);
        }
        if !self.messages.is_empty() {
            cbor::text(&mut out, "messages");
            cbor::map(&mut out, 1);
            encode_edits(&mut out, &self.messages);
        }
        out
    }
}

/// One change of a payload. Addresses mean the payload as it was before any edit. An edit outside the
/// places that `pintle.toml` lists under `write`, at an address that does not exist, or of something
/// that another one sets or removes (but an append) makes the host refuse the whole answer and send the
/// payload as it was. So do more than 1,024 edits, or values of more than 1 MiB.
///
/// Values are JSON texts; [`json::quote`] writes a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub(crate) op: Op,
    pub(crate) at: Address,
    pub(crate) value: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Set,
    Insert,
    Remove,
    Append,
}

impl Edit {
    /// Puts a JSON text in the place of a value. A member that its object does not have is added at the
    /// object's end.
    pub fn set(at: Address, value: impl Into<String>) -> Self {
        Edit { op: Op::Set, at, value: value.into() }
    }

    /// Puts a JSON text into a list, in front of the element at the address; the index that is the
    /// list's length stands for its end. Several inserts at one place keep their order.
    pub fn insert(at: Address, value: impl Into<String>) -> Self {
        Edit { op: Op::Insert, at, value: value.into() }
    }

    /// Takes an element out of its list, or a member with its name out of its object.
    pub fn remove(at: Address) -> Self {
        Edit { op: Op::Remove, at, value: String::new() }
    }

    /// Puts the text of a JSON string behind the string at the address. If another edit sets that
    /// string, the text goes behind the new one, so the two are right together and alone. Several
    /// appends to one string keep their order.
    pub fn append(at: Address, value: impl Into<String>) -> Self {
        Edit { op: Op::Append, at, value: value.into() }
    }
}

fn encode_edits(out: &mut Vec<u8>, edits: &[Edit]) {
    cbor::text(out, "edits");
    cbor::list(out, edits.len());
    for edit in edits {
        let (name, keys) = match edit.op {
            Op::Set => ("set", 3),
            Op::Insert => ("insert", 3),
            Op::Remove => ("remove", 2),
            Op::Append => ("append", 3),
        };
        cbor::map(out, keys);
        cbor::text(out, "at");
        edit.at.encode(out);
        cbor::text(out, "op");
        cbor::text(out, name);
        if keys == 3 {
            cbor::text(out, "value");
            cbor::bytes(out, edit.value.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests;
