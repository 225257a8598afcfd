use super::node::{skip_space, skip_string, Node};
use super::Document;
use std::fmt;

/// The host refuses a payload that nests deeper.
const MAX_DEPTH: usize = 10_000;

/// Why a text is not JSON, or none that the host would take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    at: usize,
    too_deep: bool,
}

impl SyntaxError {
    /// How many bytes of it are well-formed.
    pub fn at(&self) -> usize {
        self.at
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.too_deep {
            return write!(f, "nested deeper than {} at byte {}", MAX_DEPTH, self.at);
        }
        write!(f, "not JSON from byte {} on", self.at)
    }
}

impl std::error::Error for SyntaxError {}

/// Checks that a text is one JSON document in UTF-8, in one pass and without recursion. Members that an
/// object has twice are no error; nesting of more than 10,000 lists and objects is one.
pub fn parse(text: &[u8]) -> Result<Document<'_>, SyntaxError> {
    let text =
        std::str::from_utf8(text).map_err(|e| SyntaxError { at: e.valid_up_to(), too_deep: false })?;
    let mut check = Check { text: text.as_bytes(), i: 0, open: Vec::new() };
    let from = check.space();
    match check.document() {
        Some(to) if check.space() == text.len() => Ok(Document { text, top: Node { text, from, to } }),
        _ => Err(SyntaxError { at: check.i.min(text.len()), too_deep: check.open.len() > MAX_DEPTH }),
    }
}

struct Check<'a> {
    text: &'a [u8],
    i: usize,
    open: Vec<u8>, // the closing brackets that are still to come
}

impl Check<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.i).copied()
    }

    fn space(&mut self) -> usize {
        self.i = skip_space(self.text, self.i);
        self.i
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.i += 1)
    }

    /// Returns where the value ends.
    fn document(&mut self) -> Option<usize> {
        loop {
            // A value begins here.
            match self.peek()? {
                open @ (b'{' | b'[') => {
                    self.open.push(open + 2); // the closing bracket in ASCII
                    if self.open.len() > MAX_DEPTH {
                        return None;
                    }
                    self.i += 1;
                    self.space();
                    if self.peek()? != open + 2 {
                        if open == b'{' {
                            self.key()?;
                        }
                        continue;
                    }
                }
                b'"' => self.string()?,
                b't' => self.word(b"true")?,
                b'f' => self.word(b"false")?,
                b'n' => self.word(b"null")?,
                _ => self.number()?,
            }
            // It may be the last one of what it is in, and that of what that is in.
            loop {
                let close = match self.open.last() {
                    Some(close) => *close,
                    None => return Some(self.i),
                };
                self.space();
                match self.peek()? {
                    b',' => {
                        self.i += 1;
                        self.space();
                        if close == b'}' {
                            self.key()?;
                        }
                        break;
                    }
                    found if found == close => {
                        self.i += 1;
                        self.open.pop();
                    }
                    _ => return None,
                }
            }
        }
    }

    fn key(&mut self) -> Option<()> {
        self.string()?;
        self.space();
        self.expect(b':')?;
        self.space();
        Some(())
    }

    fn string(&mut self) -> Option<()> {
        self.expect(b'"')?;
        loop {
            match self.peek()? {
                b'"' => {
                    self.i += 1;
                    return Some(());
                }
                b'\\' => {
                    self.i += 1;
                    match self.peek()? {
                        b'u' => {
                            let digits = self.text.get(self.i + 1..self.i + 5)?;
                            if !digits.iter().all(u8::is_ascii_hexdigit) {
                                return None;
                            }
                            self.i += 5;
                        }
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.i += 1,
                        _ => return None,
                    }
                }
                0..=0x1f => return None,
                _ => self.i += 1,
            }
        }
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.text[self.i..].starts_with(word).then(|| self.i += word.len())
    }

    fn number(&mut self) -> Option<()> {
        if self.peek() == Some(b'-') {
            self.i += 1;
        }
        if self.peek()? == b'0' {
            self.i += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.i += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.i += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.i += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        let from = self.i;
        while self.peek().map_or(false, |b| b.is_ascii_digit()) {
            self.i += 1;
        }
        (self.i > from).then_some(())
    }
}

/// Whether a text is one JSON string, white space around it aside, and if so that string.
pub(super) fn string_in(text: &str) -> Option<&str> {
    let text = text.trim_matches(&[' ', '\t', '\n', '\r'][..]);
    let is = text.starts_with('"') && parse(text.as_bytes()).is_ok();
    debug_assert!(!is || skip_string(text.as_bytes(), 0) == text.len());
    is.then_some(text)
}
