//! Guests for Pintle, the WebAssembly extension runtime of LLM agent hosts.
//!
//! A guest offers contributions, which render developer messages, and adapters, which put prompt and
//! messages into a provider's request. It is a library with one [`guest!`], which names its handlers
//! under the ids of the `pintle.toml` beside it; `pintle build` compiles both into one module.
//!
//! ```
//! use pintle::{Context, Result};
//!
//! pintle::guest! {
//!     contributions: { "hello" => hello },
//! }
//!
//! fn hello(context: &Context) -> Result<Option<String>> {
//!     pintle::debug!("asked for {:?}", context.prompt);
//!     Ok(Some("Answer in the language of the question.".into()))
//! }
//! # fn main() {}
//! ```
//!
//! Handlers are functions and can be tested on the developer's machine, with `cargo test`. There the
//! log is standard error, no configuration is set, and `kv` is denied.
//!
//! A handler runs alone. Without `state = "session"` in `pintle.toml` every call finds the guest as it
//! was after its start, so statics carry nothing from one call to the next.
//!
//! A panic ends the call with an error that has the message, the place and a trace of functions. An
//! error that a handler answers costs less, see [`Error`].

#![deny(missing_docs, unsafe_code)]

mod call;
mod cbor;
mod context;
pub mod edit;
mod error;
mod host;
pub mod json;
mod macros;
mod order;
pub mod payload;
mod sys;
mod value;

pub use context::{Context, Message};
pub use error::{Error, Result};
pub use host::{config, kv_delete, kv_get, kv_set, log, now, random, KvError, Level};
pub use value::Value;

/// What `guest!` needs in the author's crate.
#[doc(hidden)]
pub mod __private {
    pub use crate::call::{
        edits, read, render, replace_developer_messages, replace_system_prompt, Edits, Offers, Render,
    };
    pub use crate::sys::{allocate, serve, start};
}
