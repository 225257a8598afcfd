/// A part of a request whose shape the interface leaves open: what JSON has, and byte strings. The host
/// says what is in it, so read it without expecting anything: what is not there is null, and everything
/// inside that is null as well.
///
/// ```
/// use pintle::Value;
/// let skill = Value::Map(vec![("name", Value::Text("pdf"))]);
/// let options = Value::Map(vec![("skills", Value::List(vec![skill]))]);
/// let skills = options.get("skills").items();
/// let names: Vec<&str> = skills.iter().filter_map(|s| s.get("name").text()).collect();
/// assert_eq!(names, ["pdf"]);
/// assert_eq!(options.get("cwd").get("anything").text(), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value<'a> {
    /// null, or nothing at all.
    #[default]
    Null,
    /// true or false.
    Bool(bool),
    /// A number. Integers beyond 2^53 are rounded, as in JavaScript.
    Number(f64),
    /// A text.
    Text(&'a str),
    /// A byte string.
    Bytes(&'a [u8]),
    /// A list.
    List(Vec<Value<'a>>),
    /// The text keys of a map and what is under them, in the order in which they came.
    Map(Vec<(&'a str, Value<'a>)>),
}

static NULL: Value<'static> = Value::Null;

impl<'a> Value<'a> {
    /// What is under a key; null if this is no map or has no such key.
    pub fn get(&self, key: &str) -> &Value<'a> {
        self.entries().iter().find(|(name, _)| *name == key).map_or(&NULL, |(_, value)| value)
    }

    /// A text, if this is one.
    pub fn text(&self) -> Option<&'a str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A number, if this is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// A truth value, if this is one.
    pub fn bool(&self) -> Option<bool> {
        match self {
            Value::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// A byte string, if this is one.
    pub fn bytes(&self) -> Option<&'a [u8]> {
        match self {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Whether this is null, or nothing at all.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// The elements of a list; none of anything else.
    pub fn items(&self) -> &[Value<'a>] {
        match self {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The keys of a map and what is under them; none of anything else.
    pub fn entries(&self) -> &[(&'a str, Value<'a>)] {
        match self {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The texts among the elements of a list, if this is one.
    pub(crate) fn texts(&self) -> Option<Vec<&'a str>> {
        match self {
            Value::List(items) => Some(items.iter().filter_map(Value::text).collect()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_only_itself() {
        let all = [
            Value::Null,
            Value::Bool(true),
            Value::Number(1.5),
            Value::Text("t"),
            Value::Bytes(b"b"),
            Value::List(vec![Value::Text("i"), Value::Null]),
            Value::Map(vec![("k", Value::Bool(false))]),
        ];
        for (i, v) in all.iter().enumerate() {
            assert_eq!(v.is_null(), i == 0);
            assert_eq!(v.bool(), (i == 1).then_some(true));
            assert_eq!(v.number(), (i == 2).then_some(1.5));
            assert_eq!(v.text(), (i == 3).then_some("t"));
            assert_eq!(v.bytes(), (i == 4).then_some(&b"b"[..]));
            assert_eq!(v.items().len(), if i == 5 { 2 } else { 0 });
            assert_eq!(v.texts(), (i == 5).then(|| vec!["i"]));
            assert_eq!(v.get("k").bool(), (i == 6).then_some(false));
        }
    }
}
