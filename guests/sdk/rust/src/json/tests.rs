use super::*;
use crate::edit::{Address, Edit};

fn changed(text: &str, edits: &[Edit]) -> String {
    String::from_utf8(parse(text.as_bytes()).unwrap().apply(edits).unwrap()).unwrap()
}

fn refused(text: &str, edits: &[Edit]) -> String {
    parse(text.as_bytes()).unwrap().apply(edits).unwrap_err().message().to_owned()
}

#[test]
fn what_is_json() {
    for text in [
        "null",
        " [ ] ",
        "{}",
        "-0",
        "0.5e+7",
        "1E9",
        r#""\u00e9\/""#,
        r#"{"a":[{},[],"x",1,true,false,null]}"#,
        "\"\u{7f}\u{2028}é\"",
        r#"{"a":1,"a":2}"#,
        r#""\ud800""#,
    ] {
        let document = parse(text.as_bytes()).unwrap();
        assert_eq!(document.top().raw(), text.trim());
        assert_eq!(document.apply(&[]).unwrap(), text.as_bytes());
    }
    for (text, at) in [
        ("", 0),
        (" ", 1),
        ("nul", 0),
        ("01", 1),
        ("-", 1),
        ("1.", 2),
        ("1e", 2),
        ("+1", 0),
        ("[1,]", 3),
        ("[1 2]", 3),
        ("{\"a\"}", 4),
        ("{\"a\":}", 5),
        ("{a:1}", 1),
        ("{\"a\":1,}", 7),
        ("[}", 1),
        ("{]", 1),
        ("[", 1),
        ("\"a", 2),
        ("\"\n\"", 1),
        ("\"\\x\"", 2),
        ("\"\\u12g4\"", 2),
        ("\"\\", 2),
        ("1 1", 2),
        ("[1]]", 3),
        ("truefalse", 4),
        ("\u{a0}1", 0),
        ("NaN", 0),
    ] {
        assert_eq!(parse(text.as_bytes()).map(|_| ()).map_err(|e| e.at()), Err(at), "{}", text);
    }
    assert_eq!(parse(b"\"a\xff\"").unwrap_err().to_string(), "not JSON from byte 2 on");
    assert!(parse(b"\"\xed\xa0\x80\"").is_err(), "half a surrogate pair as bytes");
}

#[test]
fn depth_costs_no_stack() {
    let nested = |n| ["[".repeat(n), "]".repeat(n)].concat();
    let deep = nested(10_000);
    let document = parse(deep.as_bytes()).unwrap();
    assert_eq!(document.top().elements().count(), 1);
    assert_eq!(
        parse("[".repeat(10_000).as_bytes()).unwrap_err().to_string(),
        "not JSON from byte 10000 on"
    );
    for too_deep in [nested(10_001), "[".repeat(1_000_000)] {
        let said = parse(too_deep.as_bytes()).unwrap_err().to_string();
        assert_eq!(said, "nested deeper than 10000 at byte 10000");
    }
}

#[test]
fn members_and_elements() {
    let text = r#" { "a" : [ 1 , {"b":"]"} ,"x\"" ] , "n":-1.50e2,"\u0061":true, "z":{ } } "#;
    let top = parse(text.as_bytes()).unwrap().top();
    let all: Vec<_> = top.members().map(|(key, value)| (key.text().unwrap(), value.raw())).collect();
    let list = r#"[ 1 , {"b":"]"} ,"x\"" ]"#;
    let want = [("a", list), ("n", "-1.50e2"), ("a", "true"), ("z", "{ }")];
    assert_eq!(all, want.map(|(name, raw)| (name.to_owned(), raw)));
    assert_eq!(top.member("a").unwrap().raw(), "true", "the last one");
    assert!(top.member("b").is_none());
    assert_eq!(top.elements().count(), 0);

    let list = top.members().next().unwrap().1;
    assert_eq!(list.elements().map(|e| e.raw()).collect::<Vec<_>>(), ["1", r#"{"b":"]"}"#, r#""x\"""#]);
    assert_eq!(list.members().count(), 0);
    assert_eq!(top.member("z").unwrap().members().count(), 0);
    assert_eq!(top.member("n").unwrap().elements().count(), 0);
}

#[test]
fn kinds() {
    let text = br#"[null,true,false,-1,"s",[],{}]"#;
    let kinds: Vec<_> = parse(text).unwrap().top().elements().map(|e| e.kind()).collect();
    use Kind::*;
    assert_eq!(kinds, [Null, Bool, Bool, Number, String, List, Object]);
}

#[test]
fn strings() {
    for (text, want) in [
        (r#""""#, ""),
        (r#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{c}\n\r\tz"),
        (r#""\u00e9é\u20AC""#, "éé€"),
        (r#""\ud83d\udea2!""#, "🚢!"),
    ] {
        let node = parse(text.as_bytes()).unwrap().top();
        assert_eq!(node.text().unwrap(), want);
        assert!(node.is(want) && !node.is("other"));
    }
    for (text, want) in [
        (r#""\ud83d""#, "\u{fffd}"),
        (r#""\udea2\ud83d""#, "\u{fffd}\u{fffd}"),
        (r#""\ud83dx""#, "\u{fffd}x"),
        (r#""\ud83d\ud83d\udea2""#, "\u{fffd}🚢"),
    ] {
        let node = parse(text.as_bytes()).unwrap().top();
        assert_eq!(node.text().unwrap(), want);
        assert!(!node.is(want), "half a pair equals nothing");
    }
    assert_eq!(parse(b"1").unwrap().top().text(), None);
}

#[test]
fn quoting_and_back() {
    let all: String =
        (0..0x800).filter_map(char::from_u32).chain("\u{2028}\u{ffff}🚢".chars()).collect();
    let quoted = quote(&all);
    assert!(parse(quoted.as_bytes()).unwrap().top().is(&all));
    assert_eq!(quote("\u{1f}\u{7f}/<"), "\"\\u001f\u{7f}/<\"");
}

#[test]
fn edits() {
    let top = Address::top;
    let text = r#" {"a" : 1.0, "l":[ 1 , 2,3 ],"s":"\ud800x" , "a":{"k":[]} } "#;
    for (edits, want) in [
        (vec![Edit::set(top("s"), "5")], r#" {"a" : 1.0, "l":[ 1 , 2,3 ],"s":5 , "a":{"k":[]} } "#),
        (
            vec![Edit::append(top("s"), "\"!\"")],
            r#" {"a" : 1.0, "l":[ 1 , 2,3 ],"s":"\ud800x!" , "a":{"k":[]} } "#,
        ),
        (
            vec![
                Edit::append(top("s"), "\"!\""),
                Edit::set(top("s"), " \"y\" "),
                Edit::append(top("s"), "\"?\""),
            ],
            r#" {"a" : 1.0, "l":[ 1 , 2,3 ],"s":"y!?" , "a":{"k":[]} } "#,
        ),
        (vec![Edit::set(top("a"), "2")], r#" {"a" : 1.0, "l":[ 1 , 2,3 ],"s":"\ud800x" , "a":2 } "#),
        (vec![Edit::remove(top("l"))], r#" {"a" : 1.0,"s":"\ud800x" , "a":{"k":[]} } "#),
        (
            vec![Edit::set(top("z\n"), "1"), Edit::set(top("b"), "2")],
            r#" {"a" : 1.0, "l":[ 1 , 2,3 ],"s":"\ud800x" , "a":{"k":[]} ,"z\n":1,"b":2} "#,
        ),
        (
            vec![
                Edit::insert(top("l").element(0), "7"),
                Edit::remove(top("l").element(1)),
                Edit::insert(top("l").element(0), "8"),
                Edit::insert(top("l").element(3), "9"),
                Edit::insert(top("a").member("k").element(0), "[]"),
            ],
            r#" {"a" : 1.0, "l":[7,8, 1 ,3 ,9],"s":"\ud800x" , "a":{"k":[[]]} } "#,
        ),
        (
            vec![Edit::remove(top("l").element(2)), Edit::insert(top("l").element(2), "0")],
            r#" {"a" : 1.0, "l":[ 1 , 2,0],"s":"\ud800x" , "a":{"k":[]} } "#,
        ),
        (vec![Edit::set(Address::default(), "[]")], " [] "),
    ] {
        assert_eq!(changed(text, &edits), want);
    }
    assert_eq!(changed("{ }", &[Edit::set(top("a"), "1")]), r#"{"a":1}"#);
    assert_eq!(changed("[ ]", &[Edit::insert(Address::default().element(0), "1")]), "[1]");
    assert_eq!(changed("[1 ]", &[Edit::remove(Address::default().element(0))]), "[]");
}

/// As many edits of one object as the host takes, each of a member of its own.
#[test]
fn many_members() {
    let names: Vec<String> = (0..512).map(|i| format!("n{}", (i * 7) % 512)).collect();
    let text = ["{", &names.iter().map(|n| format!("\"{}\":0", n)).collect::<Vec<_>>().join(","), "}"]
        .concat();
    let old = names.iter().rev().map(|n| Edit::set(Address::top(n), "1"));
    let new = names.iter().map(|n| Edit::set(Address::top(&format!("new {}", n)), "2"));
    let edits: Vec<Edit> = old.chain(new).collect();
    let mut want: Vec<String> = names.iter().map(|n| format!("\"{}\":1", n)).collect();
    want.extend(names.iter().map(|n| format!("\"new {}\":2", n)));
    assert_eq!(changed(&text, &edits), ["{", &want.join(","), "}"].concat());
}

#[test]
fn edits_that_are_refused() {
    let top = Address::top;
    let text = r#"{"l":[1],"s":"x","o":{}}"#;
    for (edits, want) in [
        (vec![Edit::set(top("l").element(1), "0")], r#"edit at ["l",1]: the list ends before it"#),
        (vec![Edit::insert(top("l").element(2), "0")], "the list ends before it"),
        (vec![Edit::remove(top("l").element(1))], "the list ends before it"),
        (vec![Edit::set(top("l").member("a"), "0")], "a list has no members"),
        (vec![Edit::set(top("o").element(0), "0")], "an object has no elements"),
        (vec![Edit::set(top("s").element(0), "0")], "nothing inside"),
        (vec![Edit::remove(top("x"))], "no such member"),
        (vec![Edit::set(top("x").member("y"), "0")], "no such member"),
        (vec![Edit::insert(top("s"), "0")], "inserts into what is no list"),
        (vec![Edit::append(top("l"), "\"x\"")], "appends to what is no string"),
        (vec![Edit::append(top("s"), "1")], "appends what is no string"),
        (vec![Edit::append(top("s"), "\"a\"\"b\"")], "appends what is no string"),
        (vec![Edit::append(top("new"), "\"x\"")], "appends to what is no string"),
        (vec![Edit::remove(Address::default())], "no place"),
        (vec![Edit::set(top("s"), "1"), Edit::set(top("s"), "2")], "another edit"),
        (vec![Edit::set(top("n"), "1"), Edit::set(top("n"), "2")], "another edit"),
        (vec![Edit::set(top("l"), "1"), Edit::remove(top("l").element(0))], "another edit"),
        (vec![Edit::remove(top("s")), Edit::append(top("s"), "\"x\"")], "another edit"),
        (vec![Edit::remove(top("s")), Edit::remove(top("s"))], "another edit"),
    ] {
        let message = refused(text, &edits);
        assert!(message.contains(want), "{}", message);
    }
    let deep = (0..65).fold(Address::default(), |at, _| at.element(0));
    assert!(refused("[]", &[Edit::set(deep, "0")]).contains("no place"));
}
