//! Adapters that get payloads whole: the interface `provider-payload-adapters/v1`. Payloads grow with
//! the conversation, so [`crate::edit`] is the better choice wherever it suffices.
//!
//! [`crate::json`] cuts a payload instead of decoding it, so that numbers, key order and everything
//! else that is not to be changed stay byte for byte:
//!
//! ```
//! use pintle::edit::{Address, Edit};
//! use pintle::payload::{Adapter, Request};
//! use pintle::{json, Result};
//!
//! /// The prompt is the member `system` of a payload.
//! struct Acme;
//!
//! impl Adapter for Acme {
//!     fn read(&self, request: &Request) -> Result<Option<String>> {
//!         Ok(json::parse(request.payload)?.top().member("system").and_then(|prompt| prompt.text()))
//!     }
//!
//!     fn replace_system_prompt(&self, request: &Request, text: &str) -> Result<Option<Vec<u8>>> {
//!         let edit = Edit::set(Address::top("system"), json::quote(text));
//!         json::parse(request.payload)?.apply(&[edit]).map(Some)
//!     }
//! }
//!
//! let request = Request { payload: br#"{"n": 1.0, "system": "Be kind."}"#, ..Default::default() };
//! assert_eq!(Acme.read(&request).unwrap().unwrap(), "Be kind.");
//! let changed = Acme.replace_system_prompt(&request, "Be brief.").unwrap().unwrap();
//! assert_eq!(changed, br#"{"n": 1.0, "system": "Be brief."}"#);
//! ```

use crate::cbor::Fields;
use crate::context::Message;
use crate::error::Result;

/// A request that carries a payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request<'a> {
    /// The adapter's id in `pintle.toml`.
    pub id: &'a str,
    /// The provider that the payload goes to.
    pub provider: &'a str,
    /// The API of the payload; empty if the host does not know it.
    pub api: &'a str,
    /// The request body: JSON, if the host has it right.
    pub payload: &'a [u8],
}

impl<'a> Request<'a> {
    pub(crate) fn from_request(request: &Fields<'a>) -> Self {
        Request {
            id: request.text("id"),
            provider: request.text("provider"),
            api: request.text("api"),
            payload: request.get("payload").bytes().unwrap_or_default(),
        }
    }
}

/// An adapter that reads and replaces the system prompt in the payloads of a provider. A payload of a
/// shape that it does not know has no prompt and stays unchanged.
pub trait Adapter {
    /// The system prompt that is in the payload; `None` if there is none.
    fn read(&self, request: &Request) -> Result<Option<String>>;

    /// The payload with another system prompt; `None` if it is unchanged.
    fn replace_system_prompt(&self, request: &Request, text: &str) -> Result<Option<Vec<u8>>>;
}

/// The optional operation of an adapter that also places developer messages. Name such an adapter in
/// [`guest!`](crate::guest!) under `developer_messages_v1` as well, and list
/// `replace_developer_messages` under its `operations` in `pintle.toml`.
pub trait DeveloperMessages {
    /// The payload in which the managed developer messages are exactly these; `None` if it is
    /// unchanged. Applying it to its own answer should give that answer again.
    fn replace_developer_messages(
        &self,
        request: &Request,
        messages: &[Message],
    ) -> Result<Option<Vec<u8>>>;
}
