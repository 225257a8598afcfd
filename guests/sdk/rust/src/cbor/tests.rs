use super::check::MAX_DEPTH;
use super::*;

/// Reads one item as what is under a key of a request is read.
fn parse(data: &[u8]) -> Result<Value<'_>, Malformed> {
    check::whole(data)?;
    Reader::new(data).value()
}

/// Writes a value as a host might.
pub(crate) fn write(out: &mut Vec<u8>, v: &Value<'_>) {
    match v {
        Value::Null => out.push(0xf6),
        Value::Bool(truth) => out.push(0xf4 + u8::from(*truth)),
        Value::Number(n) => {
            out.push(0xfb);
            out.extend_from_slice(&n.to_be_bytes());
        }
        Value::Text(t) => text(out, t),
        Value::Bytes(b) => bytes(out, b),
        Value::List(items) => {
            list(out, items.len());
            items.iter().for_each(|item| write(out, item));
        }
        Value::Map(entries) => {
            map(out, entries.len());
            for (key, item) in entries {
                text(out, key);
                write(out, item);
            }
        }
    }
}

#[test]
fn every_length_of_head() {
    for data in
        [&[0x07][..], &[0x18, 7], &[0x19, 0, 7], &[0x1a, 0, 0, 0, 7], &[0x1b, 0, 0, 0, 0, 0, 0, 0, 7]]
    {
        assert_eq!(parse(data), Ok(Value::Number(7.0)));
    }
    for data in
        [&[0x63, b'a', b'b', b'c'][..], &[0x78, 3, b'a', b'b', b'c'], &[0x79, 0, 3, b'a', b'b', b'c']]
    {
        assert_eq!(parse(data), Ok(Value::Text("abc")));
    }
    assert_eq!(parse(&[0x26]), Ok(Value::Number(-7.0)));
}

#[test]
fn floats_of_every_width() {
    for (data, want) in [
        (&[0xf9, 0x3e, 0x00][..], 1.5),
        (&[0xf9, 0xfb, 0xff], -65504.0),
        (&[0xf9, 0x00, 0x01], 2f64.powi(-24)),
        (&[0xf9, 0x04, 0x00], 2f64.powi(-14)),
        (&[0xf9, 0x7c, 0x00], f64::INFINITY),
        (&[0xfa, 0x3f, 0xc0, 0, 0], 1.5),
        (&[0xfb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0], 1.5),
    ] {
        assert_eq!(parse(data), Ok(Value::Number(want)));
    }
    assert!(matches!(parse(&[0xf9, 0x7e, 0x00]), Ok(Value::Number(n)) if n.is_nan()));
}

#[test]
fn what_is_refused() {
    let deep = vec![0x81; MAX_DEPTH + 1];
    for data in [
        &[][..],
        &[0x61],                                                 // cut off
        &[0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], // a list of everything
        &[0xbb, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        &[0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        &[0x9a, 0, 2, 0, 0],                               // cut off
        &[0x61, 0xff],                                     // not UTF-8
        &[0x9f, 0xff],                                     // indefinite
        &[0xc0, 0x00],                                     // a tag
        &[0xf7],                                           // undefined
        &[0xf8, 0x20],                                     // a simple value
        &[0xa1, 0x80, 0x00],                               // a list as key
        &[0xa1, 0x20, 0x00],                               // a negative key
        &[0xa1, 0xf9, 0x00, 0x00, 0x00],                   // a float
        &[0xa1, 0xf4, 0x00],                               // a truth value
        &[0xa2, 0x61, b'a', 0x00, 0x61, b'a', 0x00],       // a key twice
        &[0xa2, 0x61, b'a', 0x00, 0x78, 0x01, b'a', 0x00], // with other heads
        &[0xa2, 0x01, 0x00, 0x18, 0x01, 0x00],
        &[0xa3, 0x61, b'b', 0x00, 0x61, b'a', 0x00, 0x61, b'b', 0x00], // in another order
        &[0x00, 0x00],                                                 // more than one
        &deep,
    ] {
        assert!(parse(data).is_err(), "{:x?}", data);
    }
    let mut fits = vec![0x81; MAX_DEPTH];
    fits.push(0x00);
    assert!(parse(&fits).is_ok());
}

#[test]
fn what_is_written_is_read() {
    let mut out = Vec::new();
    map(&mut out, 3);
    text(&mut out, "numbers");
    let numbers = [0, 23, 24, 255, 256, 65_535, 65_536, u64::from(u32::MAX), 1 << 32];
    list(&mut out, numbers.len());
    numbers.iter().for_each(|n| number(&mut out, *n));
    text(&mut out, "bytes");
    bytes(&mut out, &[0xff; 300]);
    number(&mut out, 5); // a key that nobody knows
    number(&mut out, 5);
    let read = parse(&out).unwrap();
    let want: Vec<_> = numbers.iter().map(|n| Some(*n as f64)).collect();
    assert_eq!(read.get("numbers").items().iter().map(Value::number).collect::<Vec<_>>(), want);
    assert_eq!(read.get("bytes").bytes(), Some(&[0xff; 300][..]));
    assert_eq!(read.entries().len(), 2);
    assert_eq!(failure("a", "b"), b"\x82\x02\xa2\x64code\x61a\x67message\x61b");
}

#[test]
fn keys_in_any_order() {
    for data in [
        &[0xa2, 0x61, b'b', 0x00, 0x61, b'a', 0x00][..],
        &[0xa2, 0x61, b'a', 0x00, 0x00, 0x00],
        &[0xa3, 0x62, b'a', b'a', 0xa0, 0x61, b'b', 0x80, 0x01, 0x00],
    ] {
        assert!(parse(data).is_ok(), "{:x?}", data);
    }
}

/// What a list claims to have costs nothing before it is there.
#[test]
fn claims_are_not_believed() {
    for claim in [&[0x9a, 0, 2, 0, 0][..], &[0xba, 0, 2, 0, 0, 0x61, b'a']] {
        let mut data = claim.repeat(MAX_DEPTH - 1);
        data.resize(data.len() + 131_072, 0);
        assert_eq!(parse(&data), Err(Malformed("it is cut off")));
    }
}

#[test]
fn fields_are_read_when_asked_for() {
    let data = b"\xa4\x62id\x61x\x01\x02\x67payload\x82\x01\xa1\x61a\xf6\x61n\xf6";
    let fields = Fields::parse(data).unwrap();
    assert_eq!(fields.0.len(), 3);
    assert_eq!(fields.text("id"), "x");
    assert_eq!((fields.text("n"), fields.text("payload"), fields.text("none")), ("", "", ""));
    let want = Value::List(vec![Value::Number(1.0), Value::Map(vec![("a", Value::Null)])]);
    assert_eq!(fields.get("payload"), want);
    assert!(Fields::parse(b"\x81\x01").unwrap().get("id").is_null());
    assert_eq!(Fields::parse(b"\xa1").err(), Some(Malformed("it is cut off")));
}
