//! A guest with one developer message.

use pintle::{Context, Result};

// The id is that of pintle.toml.
pintle::guest! {
    contributions: { "{{name}}" => render },
}

/// Returns what the model is told in this turn, `None` for nothing. Of the context it has what pintle.toml
/// needs. An error costs the turn this text and nothing else.
fn render(context: &Context) -> Result<Option<String>> {
    if context.prompt.unwrap_or_default().is_empty() {
        pintle::debug!("no prompt, nothing to say");
        return Ok(None);
    }
    let tone = pintle::config("tone").unwrap_or_else(|| "friendly".into());
    let mut text = format!("Answer in a {} tone.", tone);
    if context.tool_active("bash") {
        text += " Say what a command does before you run it.";
    }
    Ok(Some(text))
}

// `cargo test` runs these on your machine, where no configuration is set. `pintle test` runs cases.json.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tone_has_a_default() {
        let context = Context {
            prompt: Some("Why?"),
            ..Default::default()
        };
        assert_eq!(
            render(&context).unwrap().unwrap(),
            "Answer in a friendly tone."
        );
    }
}
