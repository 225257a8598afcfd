//! A Codex request has its prompt in the string `instructions` and its history in the list `input`. Developer
//! messages are items in front of the others, in tags by which the next request finds and replaces them.

use pintle::edit::{Address, Answer, Edit, Request, Shown};
use pintle::json::{self, quote, Kind, Node};
use pintle::payload::{self, Adapter, DeveloperMessages};
use pintle::{Message, Result};

/// Answers from the places that `pintle.toml` lists: every item that it shows is an old message.
pub fn edits(request: &Request) -> Result<Answer> {
    let mut answer = Answer::default();
    for found in &request.view {
        match (found.at.name(0), &found.value) {
            _ if found.at.len() == 2 => answer.messages.push(Edit::remove(found.at.clone())),
            (Some("instructions"), prompt) if prompt.is_string() => {
                answer.set_prompt(&found.at, request.system_prompt)
            }
            (Some("input"), Shown::List(_)) => answer.messages.extend(inserts(&request.messages)),
            _ => {}
        }
    }
    Ok(answer)
}

/// The adapter of version 1, which gets the payload whole. What is no JSON object it leaves alone.
pub struct Whole;

impl Adapter for Whole {
    fn read(&self, request: &payload::Request) -> Result<Option<String>> {
        let prompt = |payload: json::Document| payload.top().member("instructions")?.text();
        Ok(json::parse(request.payload).ok().and_then(prompt))
    }

    fn replace_system_prompt(
        &self,
        request: &payload::Request,
        text: &str,
    ) -> Result<Option<Vec<u8>>> {
        match json::parse(request.payload) {
            Ok(payload) if payload.top().kind() == Kind::Object => payload
                .apply(&[Edit::set(Address::top("instructions"), quote(text))])
                .map(Some),
            _ => Ok(None),
        }
    }
}

impl DeveloperMessages for Whole {
    fn replace_developer_messages(
        &self,
        request: &payload::Request,
        messages: &[Message],
    ) -> Result<Option<Vec<u8>>> {
        let payload = match json::parse(request.payload) {
            Ok(payload) => payload,
            Err(_) => return Ok(None),
        };
        let input = match payload.top().member("input") {
            Some(input) if input.kind() == Kind::List => input,
            _ => return Ok(None),
        };
        let mut edits: Vec<Edit> = inserts(messages).collect();
        let mut after: Vec<String> = messages.iter().map(item).collect();
        let mut before = Vec::new();
        for (i, old) in input.elements().enumerate() {
            before.push(old.raw());
            if is_managed(&old) {
                edits.push(Edit::remove(Address::top("input").element(i)));
            } else {
                after.push(old.raw().to_owned());
            }
        }
        if before == after {
            return Ok(None);
        }
        payload.apply(&edits).map(Some)
    }
}

fn inserts<'m>(messages: &'m [Message]) -> impl Iterator<Item = Edit> + 'm {
    messages
        .iter()
        .map(|message| Edit::insert(Address::top("input").element(0), item(message)))
}

/// The tags of today and those of older releases.
const TAGS: [(&str, &str); 2] = [
    (
        "<pi_developer_prompt_message id=\"",
        "</pi_developer_prompt_message>",
    ),
    (
        "<pi_system_prompt_developer_message id=\"",
        "</pi_system_prompt_developer_message>",
    ),
];

/// Whether an item is a developer message that an earlier request left.
fn is_managed(item: &Node) -> bool {
    if !item
        .member("role")
        .map_or(false, |role| role.is("developer"))
    {
        return false;
    }
    let content = item
        .member("content")
        .and_then(|content| content.text())
        .unwrap_or_default();
    TAGS.iter()
        .any(|(opening, closing)| content.starts_with(opening) && content.ends_with(closing))
}

/// The item of a message.
fn item(message: &Message) -> String {
    let (opening, closing) = TAGS[0];
    let id = message.id.replace('&', "&amp;").replace('"', "&quot;");
    let id = id.replace('<', "&lt;").replace('>', "&gt;");
    let text = [opening, &id, "\">\n", message.content, "\n", closing].concat();
    ["{\"role\":\"developer\",\"content\":", &quote(&text), "}"].concat()
}
