use std::fmt;

/// What a handler answers: a value, or an [`Error`] of its own.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error that a handler answers. It costs the guest this one call: the instance stays usable, and
/// the host reports the message. A panic in comparison costs the instance, and the report has a trace.
///
/// Every standard error becomes one, with its causes, so `?` works:
///
/// ```
/// fn lines(context: &pintle::Context) -> pintle::Result<Option<String>> {
///     let count: u32 = context.prompt.unwrap_or("3").parse()?;
///     if count > 99 {
///         return Err(pintle::Error::new("that is too much to write"));
///     }
///     Ok(Some(format!("Answer in {} lines.", count)))
/// }
/// let context = pintle::Context { prompt: Some("many"), ..Default::default() };
/// assert_eq!(lines(&context).unwrap_err().message(), "invalid digit found in string");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    code: String,
    message: String,
}

impl Error {
    /// An error with a message for people.
    pub fn new(message: impl Into<String>) -> Self {
        Error { code: String::new(), message: message.into() }
    }

    /// An error with a short code for programs, and a message for people.
    pub fn with_code(code: impl Into<String>, message: impl Into<String>) -> Self {
        Error { code: code.into(), message: message.into() }
    }

    /// The error of an adapter of version 2 that cannot answer from its view. The host then asks the
    /// adapter of version 1 that the same guest offers for the same providers, APIs and models; if
    /// there is none, it sends the payload as it was. The reason is for people.
    pub fn use_v1(reason: impl Into<String>) -> Self {
        Error::with_code("use-v1", reason)
    }

    /// The code; empty if there is none.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.code.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.code, self.message)
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

// An error that was its own cause would never end.
const MAX_CAUSES: usize = 16;

// This is also why Error itself is no std::error::Error: the two would overlap.
impl<E: std::error::Error> From<E> for Error {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        for _ in 0..MAX_CAUSES {
            match cause {
                Some(inner) => {
                    message.push_str(": ");
                    message.push_str(&inner.to_string());
                    cause = inner.source();
                }
                None => break,
            }
        }
        Error::new(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Outer(Option<Box<Outer>>);

    impl fmt::Display for Outer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(if self.0.is_some() { "outer" } else { "inner" })
        }
    }

    impl std::error::Error for Outer {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            self.0.as_deref().map(|inner| inner as _)
        }
    }

    #[test]
    fn causes_are_told() {
        let error = Error::from(Outer(Some(Box::new(Outer(None)))));
        assert_eq!(error.message(), "outer: inner");
        assert_eq!(error.to_string(), "outer: inner");
        assert_eq!(error.code(), "");
    }

    #[test]
    fn codes_are_kept() {
        let error = Error::use_v1("too little to see");
        assert_eq!((error.code(), error.message()), ("use-v1", "too little to see"));
        assert_eq!(format!("{:?}", error), "use-v1: too little to see");
    }
}
