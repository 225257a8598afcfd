//! One call: from the bytes of a request to those of an answer. The macro `guest!` names these
//! functions in the author's crate, so they are public but no part of what authors use.

use crate::cbor::{self, Fields};
use crate::context::{Context, Message};
use crate::edit;
use crate::error::{Error, Result};
use crate::payload::{self, Adapter, DeveloperMessages};

/// A contribution.
pub type Render = dyn Fn(&Context<'_>) -> Result<Option<String>>;
/// An adapter of version 2.
pub type Edits = dyn Fn(&edit::Request<'_>) -> Result<edit::Answer>;

/// What is offered, under the ids of `pintle.toml`.
pub type Offers<'h, H> = &'h [(&'h str, &'h H)];

/// `developer_messages_v1_render`.
pub fn render(request: &[u8], offers: Offers<'_, Render>) -> Vec<u8> {
    answer(request, |r| {
        let handler = find("handler for contribution", r, offers)?;
        let text = handler(&Context::from_request(r))?.unwrap_or_default();
        Ok(if text.is_empty() { cbor::nothing() } else { text_answer(&text) })
    })
}

/// `provider_payload_adapters_v2_edit`.
pub fn edits(request: &[u8], offers: Offers<'_, Edits>) -> Vec<u8> {
    answer(request, |r| {
        let handler = find("handler for adapter", r, offers)?;
        Ok(handler(&edit::Request::from_request(r))?.encode())
    })
}

/// `provider_payload_adapters_v1_read_system_prompt`.
pub fn read(request: &[u8], offers: Offers<'_, dyn Adapter>) -> Vec<u8> {
    answer(request, |r| {
        let adapter = find("handler for adapter", r, offers)?;
        let text = adapter.read(&payload::Request::from_request(r))?;
        Ok(text.map_or_else(cbor::nothing, |text| text_answer(&text)))
    })
}

/// `provider_payload_adapters_v1_replace_system_prompt`.
pub fn replace_system_prompt(request: &[u8], offers: Offers<'_, dyn Adapter>) -> Vec<u8> {
    answer(request, |r| {
        let adapter = find("handler for adapter", r, offers)?;
        let text = r.text("systemPrompt");
        adapter.replace_system_prompt(&payload::Request::from_request(r), text).map(payload_answer)
    })
}

/// `provider_payload_adapters_v1_replace_developer_messages`.
pub fn replace_developer_messages(
    request: &[u8],
    offers: Offers<'_, dyn DeveloperMessages>,
) -> Vec<u8> {
    answer(request, |r| {
        let adapter = find("developer message handler for adapter", r, offers)?;
        let messages = Message::list(r);
        adapter
            .replace_developer_messages(&payload::Request::from_request(r), &messages)
            .map(payload_answer)
    })
}

fn text_answer(text: &str) -> Vec<u8> {
    let mut out = cbor::value(text.len());
    cbor::text(&mut out, text);
    out
}

fn payload_answer(payload: Option<Vec<u8>>) -> Vec<u8> {
    payload.map_or_else(cbor::nothing, |payload| {
        let mut out = cbor::value(payload.len());
        cbor::bytes(&mut out, &payload);
        out
    })
}

/// An error becomes an answer as well: it is the guest's own, and no trap.
fn answer<'a>(request: &'a [u8], handle: impl FnOnce(&Fields<'a>) -> Result<Vec<u8>>) -> Vec<u8> {
    let request = match Fields::parse(request) {
        Ok(request) => request,
        Err(malformed) => {
            return cbor::failure("bad-request", &["malformed message: ", malformed.0].concat())
        }
    };
    handle(&request).unwrap_or_else(|error| cbor::failure(error.code(), error.message()))
}

fn find<'h, H: ?Sized>(what: &str, request: &Fields<'_>, offers: Offers<'h, H>) -> Result<&'h H> {
    let id = request.text("id");
    if let Some((_, handler)) = offers.iter().find(|(name, _)| *name == id) {
        return Ok(handler);
    }
    let names: Vec<&str> = offers.iter().map(|(name, _)| *name).collect();
    let message = ["no ", what, " ", id, "; there are handlers for: ", &names.join(", ")].concat();
    Err(Error::new(message))
}

#[cfg(test)]
mod tests;
