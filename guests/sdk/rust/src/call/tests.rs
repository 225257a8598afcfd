use super::*;

fn request(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut out = Vec::new();
    cbor::map(&mut out, entries.len() + 1);
    cbor::text(&mut out, "features");
    cbor::number(&mut out, 0);
    for (key, value) in entries {
        cbor::text(&mut out, key);
        if *key == "payload" {
            cbor::bytes(&mut out, value.as_bytes());
        } else {
            cbor::text(&mut out, value);
        }
    }
    out
}

fn echo(context: &Context<'_>) -> Result<Option<String>> {
    match context.prompt {
        Some("fail") => Err(Error::with_code("no-prompt", "nothing to echo")),
        Some("blank") => Ok(Some(String::new())),
        prompt => Ok(prompt.map(Into::into)),
    }
}

struct Whole;

impl Adapter for Whole {
    fn read(&self, request: &payload::Request<'_>) -> Result<Option<String>> {
        Ok((request.api == "acme").then(|| String::from_utf8_lossy(request.payload).into_owned()))
    }

    fn replace_system_prompt(&self, _: &payload::Request<'_>, text: &str) -> Result<Option<Vec<u8>>> {
        Ok((!text.is_empty()).then(|| text.as_bytes().to_vec()))
    }
}

impl DeveloperMessages for Whole {
    fn replace_developer_messages(
        &self,
        r: &payload::Request<'_>,
        messages: &[Message<'_>],
    ) -> Result<Option<Vec<u8>>> {
        assert!(messages.is_empty());
        Ok(Some(r.payload.to_vec()))
    }
}

#[test]
fn render_answers() {
    let offers: Offers<'_, Render> = &[("echo", &echo), ("brief", &|_| Ok(Some("Be brief.".into())))];
    for (entries, want) in [
        (&[("id", "echo"), ("prompt", "hi")][..], &b"\x82\x01\x62hi"[..]),
        (&[("id", "echo"), ("prompt", "blank")], b"\x81\x00"),
        (&[("id", "echo")], b"\x81\x00"),
        (&[("id", "brief")], b"\x82\x01\x69Be brief."),
        (
            &[("id", "echo"), ("prompt", "fail")],
            b"\x82\x02\xa2\x64code\x69no-prompt\x67message\x6fnothing to echo",
        ),
    ] {
        assert_eq!(render(&request(entries), offers), want);
    }
    let answer = String::from_utf8_lossy(&render(&request(&[("id", "nobody")]), offers)).into_owned();
    assert!(
        answer.ends_with("no handler for contribution nobody; there are handlers for: echo, brief"),
        "{}",
        answer
    );
    let answer = String::from_utf8_lossy(&render(b"\xa1", offers)).into_owned();
    assert!(
        answer.contains("bad-request") && answer.ends_with("malformed message: it is cut off"),
        "{}",
        answer
    );
}

#[test]
fn adapters_answer() {
    let adapters: Offers<'_, dyn Adapter> = &[("w", &Whole)];
    let found = request(&[("id", "w"), ("api", "acme"), ("payload", "{}")]);
    assert_eq!(read(&found, adapters), b"\x82\x01\x62{}");
    assert_eq!(read(&request(&[("id", "w")]), adapters), b"\x81\x00");
    assert_eq!(replace_system_prompt(&found, adapters), b"\x81\x00");
    assert_eq!(
        replace_system_prompt(&request(&[("id", "w"), ("systemPrompt", "[]")]), adapters),
        b"\x82\x01\x42[]"
    );
    assert_eq!(replace_developer_messages(&found, &[("w", &Whole)]), b"\x82\x01\x42{}");

    let offers: Offers<'_, Edits> = &[("e", &|r| {
        let mut answer = edit::Answer::default();
        answer.set_prompt(&edit::Address::top(r.provider), "");
        Ok(answer)
    })];
    let answer = edits(&request(&[("id", "e"), ("provider", "p")]), offers);
    assert_eq!(answer, b"\x82\x01\xa1\x66prompt\xa2\x62at\x81\x61p\x65edits\x81\xa3\x62at\x81\x61p\x62op\x63set\x65value\x42\"\"");
    assert_eq!(
        edits(&request(&[]), &[]),
        b"\x82\x02\xa2\x64code\x60\x67message\x78\x31no handler for adapter ; there are handlers for: "
    );
}
