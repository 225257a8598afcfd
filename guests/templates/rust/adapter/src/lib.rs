//! A guest that puts the prompt and the developer messages into requests of one API. As it stands that is a
//! made-up one, acme-chat, with the prompt in a string and everything else a turn:
//!
//! ```json
//! {"model":"acme-1","prompt":"Be kind.","turns":[{"from":"user","text":"hi"}]}
//! ```
//!
//! Developer messages are turns in front of the others, from "notice", with [agent/ID] before the text.

use pintle::edit::{Answer, Edit, Request, Shown};
use pintle::json::quote;
use pintle::{Message, Result};

// The id is that of pintle.toml.
pintle::guest! {
    adapters: { "{{name}}" => adapt },
}

/// Answers edits of the payload, which itself stays in the host: it sees what the selectors of pintle.toml find.
fn adapt(request: &Request) -> Result<Answer> {
    let mut answer = Answer::default();
    for found in &request.view {
        match (found.at.name(0), &found.value) {
            // Carried out only if the prompt there is the one that the host had built.
            (Some("prompt"), prompt) if prompt.is_string() => {
                answer.set_prompt(&found.at, request.system_prompt)
            }
            // A message of an earlier request.
            _ if found.at.len() == 2 => answer.messages.push(Edit::remove(found.at.clone())),
            (Some("turns"), Shown::List(_)) => {
                for message in &request.messages {
                    let at = found.at.element(0);
                    answer.messages.push(Edit::insert(at, turn(message)));
                }
            }
            _ => {}
        }
    }
    Ok(answer)
}

fn turn(message: &Message) -> String {
    let text = format!("[agent/{}] {}", message.id, message.content);
    format!(r#"{{"from":"notice","text":{}}}"#, quote(&text))
}
