//! The example guest in Rust: two contributions, and the Codex adapter in both versions of its interface. The
//! same guest stands beside it in other languages, with the same cases.json.

mod codex;

use pintle::{Context, Result, Value};

pintle::guest! {
    contributions: {
        "template" => template,
        "greeting" => greeting,
    },
    adapters: { "codex" => codex::edits },
    adapters_v1: { "codex-v1" => codex::Whole },
    developer_messages_v1: { "codex-v1" => codex::Whole },
}

/// Fills in the text that the host has configured. What is not known of a turn is empty.
fn template(context: &Context) -> Result<Option<String>> {
    let text = match pintle::config("template") {
        Some(text) => text,
        None => return Ok(None),
    };
    let options = &context.system_prompt_options;
    let name = |skill: &Value| skill.get("name").text().unwrap_or_default().to_owned();
    let skills: Vec<String> = options.get("skills").items().iter().map(name).collect();
    let tools = context.active_tools.as_deref().unwrap_or_default();
    Ok(Some(fill(
        &text,
        &[
            ("{prompt}", context.prompt.unwrap_or_default()),
            ("{provider}", context.provider.unwrap_or_default()),
            ("{sessionId}", context.session_id.unwrap_or_default()),
            ("{tools}", &tools.join(",")),
            ("{cwd}", options.get("cwd").text().unwrap_or_default()),
            ("{skills}", &skills.join(",")),
        ],
    )))
}

/// Replaces names by values, in one pass: what was filled in is not looked at again.
fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match values.iter().find(|(name, _)| rest.starts_with(name)) {
            Some((name, value)) => {
                out.push_str(value);
                rest = &rest[name.len()..];
            }
            None => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Has something to say only if a prompt starts the turn.
fn greeting(context: &Context) -> Result<Option<String>> {
    Ok(context.prompt.map(|_| {
        pintle::debug!("greeting");
        "Greet the user before you answer.".into()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pass() {
        let values = [("{a}", "{b}"), ("{b}", "2")];
        assert_eq!(fill("{a}{{b}}{c}{b", &values), "{b}{2}{c}{b");
    }

    #[test]
    fn greets_only_who_says_something() {
        assert_eq!(greeting(&Context::default()).unwrap(), None);
        let said = Context {
            prompt: Some(""),
            ..Default::default()
        };
        assert!(greeting(&said).unwrap().is_some());
    }
}
