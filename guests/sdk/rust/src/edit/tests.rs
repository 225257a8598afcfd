use super::*;
use crate::cbor::tests::write;
use crate::value::Value;

fn object<'a>(members: Vec<(&'a str, Value<'a>)>) -> Value<'a> {
    Value::Map(vec![("object", Value::Map(members))])
}

fn clipped(head: &'static str, tail: &'static str) -> Value<'static> {
    Value::Map(vec![
        ("head", Value::Text(head)),
        ("tail", Value::Text(tail)),
        ("bytes", Value::Number(82.0)),
    ])
}

#[test]
fn a_view_is_read() {
    let entry = |value| {
        Value::Map(vec![
            ("at", Value::List(vec![Value::Text("input"), Value::Number(3.0)])),
            ("value", value),
        ])
    };
    let request = Value::Map(vec![
        ("id", Value::Text("codex")),
        ("systemPrompt", Value::Text("Be brief.")),
        (
            "messages",
            Value::List(vec![Value::Map(vec![
                ("id", Value::Text("m")),
                ("content", Value::Text("c")),
            ])]),
        ),
        (
            "view",
            Value::List(vec![
                entry(Value::Text("whole")),
                entry(clipped("<a", "b>")),
                entry(Value::Map(vec![("list", Value::Number(2.0))])),
                entry(object(vec![
                    ("role", Value::Text("user")),
                    ("content", clipped("<a", "b>")),
                    ("inner", object(vec![])),
                ])),
                entry(Value::Number(1.5)),
                entry(Value::Bool(true)),
                entry(Value::Null),
            ]),
        ),
    ]);
    let mut written = Vec::new();
    write(&mut written, &request);
    let read = Request::from_request(&Fields::parse(&written).unwrap());
    assert_eq!((read.id, read.api, read.system_prompt), ("codex", "", "Be brief."));
    assert_eq!(read.messages, [Message { id: "m", content: "c" }]);
    assert!(read.view.iter().all(|e| e.at == Address::top("input").element(3)));
    let values: Vec<_> = read.view.into_iter().map(|e| e.value).collect();
    let both = Shown::Clipped { head: "<a", tail: "b>", bytes: 82 };
    assert_eq!(values[3].member("content"), Some(&both));
    assert_eq!(values[3].member("inner"), Some(&Shown::Object(vec![])));
    assert_eq!(values[3].member("other"), None);
    assert_eq!(values[0].member("role"), None);
    assert_eq!(values.iter().filter(|v| v.is_string()).count(), 2);
    assert_eq!((values[0].text(), values[1].text()), (Some("whole"), None));
    assert_eq!(values[1], both);
    assert_eq!(values[2], Shown::List(2));
    assert_eq!(values[4..], [Shown::Number(1.5), Shown::Bool(true), Shown::Null]);
}

#[test]
fn both_ends_of_a_string() {
    for (value, want) in [
        (Shown::Text("<a>b</a>"), true),
        (Shown::Text("<a></a>"), true),
        (Shown::Text("<a>/a>"), false),
        (Shown::Text(" <a></a>"), false),
        (Shown::Clipped { head: "<a>x", tail: "y</a>", bytes: 99 }, true),
        (Shown::Clipped { head: "<a", tail: "y</a>", bytes: 99 }, false),
        (Shown::Null, false),
    ] {
        assert_eq!(value.is_between("<a>", "</a>"), want, "{:?}", value);
    }
}

// The answer of the worked example in ABI.md.
#[test]
fn an_answer_is_written() {
    let mut answer = Answer::default();
    assert_eq!(answer.encode(), cbor::nothing());
    answer.set_prompt(&Address::top("instructions"), "You are a terse agent.");
    let input = Address::top("input").element(0);
    answer.messages = vec![Edit::remove(input.clone()), Edit::insert(input, "{}")];
    let want: Vec<u8> = [
        &b"\x82\x01\xa2\x66prompt\xa2\x62at\x81\x6cinstructions\x65edits\x81\xa3\x62at\x81\x6cinstructions\x62op\x63set\x65value"[..],
        b"\x58\x18\"You are a terse agent.\"\x68messages\xa1\x65edits\x82\xa2\x62at\x82\x65input\x00\x62op\x66remove",
        b"\xa3\x62at\x82\x65input\x00\x62op\x66insert\x65value\x42{}",
    ]
    .concat();
    assert_eq!(answer.encode(), want);

    let append =
        Answer { messages: vec![Edit::append(Address::top("a"), "\"b\"")], ..Default::default() };
    assert_eq!(append.encode(), b"\x82\x01\xa1\x68messages\xa1\x65edits\x81\xa3\x62at\x81\x61a\x62op\x66append\x65value\x43\"b\"");
}
