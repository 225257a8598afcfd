use crate::cbor::Fields;
use crate::value::Value;

/// What a turn is about: the request for the text of a contribution. A field is there if the
/// contribution's entry in `pintle.toml` lists it under `needs` and the host knows it.
///
/// A contribution is a function from it to a text. `None`, and a blank text, say that there is nothing
/// to say this time.
///
/// ```
/// use pintle::{Context, Result};
///
/// fn careful(context: &Context) -> Result<Option<String>> {
///     if !context.tool_active("bash") {
///         return Ok(None);
///     }
///     Ok(Some("Say what a command does before you run it.".into()))
/// }
///
/// let context = Context { active_tools: Some(vec!["bash"]), ..Default::default() };
/// assert!(careful(&context).unwrap().is_some());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context<'a> {
    /// The current provider id.
    pub provider: Option<&'a str>,
    /// The names of the active tools.
    pub active_tools: Option<Vec<&'a str>>,
    /// The id of the session.
    pub session_id: Option<&'a str>,
    /// The user prompt that starts the turn.
    pub prompt: Option<&'a str>,
    /// The host's structured prompt input: `cwd`, `customPrompt`, `appendSystemPrompt`, `contextFiles`,
    /// `skills` and more, as the host names them. Null if it is not there.
    pub system_prompt_options: Value<'a>,
}

impl<'a> Context<'a> {
    /// Whether a tool is active.
    pub fn tool_active(&self, name: &str) -> bool {
        self.active_tools.as_deref().unwrap_or_default().contains(&name)
    }

    pub(crate) fn from_request(request: &Fields<'a>) -> Self {
        Context {
            provider: request.get("provider").text(),
            active_tools: request.get("activeTools").texts(),
            session_id: request.get("sessionId").text(),
            prompt: request.get("prompt").text(),
            system_prompt_options: request.get("systemPromptOptions"),
        }
    }
}

/// A developer message that shall be in a payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Message<'a> {
    /// The id of the contribution that it comes from.
    pub id: &'a str,
    /// Its text.
    pub content: &'a str,
}

impl<'a> Message<'a> {
    pub(crate) fn list(request: &Fields<'a>) -> Vec<Self> {
        let of = |m: &Value<'a>| Message {
            id: m.get("id").text().unwrap_or_default(),
            content: m.get("content").text().unwrap_or_default(),
        };
        request.get("messages").items().iter().map(of).collect()
    }
}
