//! JSON as it is written. A payload is cut at a few places instead of being decoded, so that what an
//! adapter does not mean to change stays byte for byte: numbers, key order, white space, half a
//! surrogate pair.
//!
//! ```
//! use pintle::edit::{Address, Edit};
//! use pintle::json;
//!
//! let payload = json::parse(br#"{"n":1.0,"input":[{"role":"user"},{"role":"developer"}]}"#)?;
//! let input = payload.top().member("input").unwrap();
//! let mut edits = vec![];
//! for (i, item) in input.elements().enumerate() {
//!     if item.member("role").map_or(false, |role| role.is("developer")) {
//!         edits.push(Edit::remove(Address::top("input").element(i)));
//!     }
//! }
//! assert_eq!(payload.apply(&edits)?, br#"{"n":1.0,"input":[{"role":"user"}]}"#);
//! # Ok::<(), pintle::Error>(())
//! ```

mod apply;
mod check;
mod node;
mod text;

pub use check::{parse, SyntaxError};
pub use node::{Kind, Node};
pub use text::quote;

/// A JSON text that has been checked. Edits of it are made by [`Document::apply`].
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    text: &'a str,
    top: Node<'a>,
}

impl<'a> Document<'a> {
    /// The value that the document is.
    pub fn top(&self) -> Node<'a> {
        self.top
    }
}

#[cfg(test)]
mod tests;
