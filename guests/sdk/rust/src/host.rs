//! What a guest can ask its host for.

use crate::sys;
use std::fmt;
use std::time::Duration;

/// How important a log record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// For whoever looks for a fault.
    Debug = 0,
    /// Worth knowing.
    Info = 1,
    /// Something is not as it should be.
    Warn = 2,
    /// Something failed.
    Error = 3,
}

/// Writes a record to the host's log. The macros [`debug!`](crate::debug!), [`info!`](crate::info!),
/// [`warn!`](crate::warn!) and [`error!`](crate::error!) do it with a format. What a guest may log in
/// one call is bounded; the rest is dropped. On the developer's machine it is written to standard
/// error.
pub fn log(level: Level, text: &str) {
    sys::log(level as u32, text);
}

/// The value that the host holds under a key. The key has to be declared in `pintle.toml` under the
/// capability `config`; it is `None` if it is not, or if the host sets no value. On the developer's
/// machine no key has a value.
pub fn config(key: &str) -> Option<String> {
    pull(|buffer| sys::config(key, buffer)).map(|value| String::from_utf8_lossy(&value).into_owned())
}

/// The time of day, as the time since the beginning of 1970 in UTC. It is the real one if the host
/// grants the capability `clock`, for which the guest has to ask in `pintle.toml`. Without the grant it
/// is virtual: 2020 begins with each call, and every look at the clock takes a microsecond. (The
/// standard library has no clock on this target: it panics.)
///
/// ```
/// assert!(pintle::now().as_secs() >= 1_577_836_800);
/// ```
pub fn now() -> Duration {
    Duration::from_nanos(sys::now())
}

/// Fills a buffer with random bytes. They are fit for secrets if the host grants the capability
/// `random`, for which the guest has to ask in `pintle.toml`. Without the grant they are the same in
/// every call.
///
/// ```
/// let (mut one, mut other) = ([0; 16], [0; 16]);
/// pintle::random(&mut one);
/// pintle::random(&mut other);
/// assert_ne!(one, other);
/// ```
pub fn random(buffer: &mut [u8]) {
    sys::random(buffer);
}

/// Why the store did not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KvError {
    /// The host did not grant the capability `kv`. Go on without it.
    Denied,
    /// Key or value are too large, or there is too much already: keys have up to 256 bytes, values 16
    /// KiB, and there are up to 256 entries of 64 KiB together.
    NoRoom,
}

impl fmt::Display for KvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KvError::Denied => "kv is not granted",
            KvError::NoRoom => "there is no room in the kv",
        })
    }
}

impl std::error::Error for KvError {}

/// What the guest keeps under a key in this session; `None` if there is nothing, and without the grant.
/// The guest has to ask for the capability `kv` in `pintle.toml`. On the developer's machine it is not
/// granted.
pub fn kv_get(key: &str) -> Option<Vec<u8>> {
    pull(|buffer| sys::kv_get(key, buffer))
}

/// Keeps a value under a key until the session ends, or the host needs the room. It counts when the
/// call ends well; one that fails has written nothing.
pub fn kv_set(key: &str, value: &[u8]) -> Result<(), KvError> {
    match sys::kv_set(key, value) {
        0 => Ok(()),
        DENIED => Err(KvError::Denied),
        _ => Err(KvError::NoRoom),
    }
}

/// Forgets what is under a key, if there is anything. The error is [`KvError::Denied`].
pub fn kv_delete(key: &str) -> Result<(), KvError> {
    match sys::kv_delete(key) {
        DENIED => Err(KvError::Denied),
        _ => Ok(()),
    }
}

const DENIED: i32 = -2;

/// Asks for a value, and again with a buffer that is large enough for it.
fn pull(ask: impl Fn(&mut [u8]) -> i32) -> Option<Vec<u8>> {
    let mut buffer = vec![0; 256];
    loop {
        let length = ask(&mut buffer);
        if length < 0 {
            return None;
        }
        if length as usize <= buffer.len() {
            buffer.truncate(length as usize);
            return Some(buffer);
        }
        buffer.resize(length as usize, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_asked_for_again() {
        for length in [0, 1, 256, 257, 5000] {
            let whole: Vec<u8> = (0..length).map(|i| i as u8).collect();
            let got = pull(|buffer| {
                if let Some(room) = buffer.get_mut(..whole.len()) {
                    room.copy_from_slice(&whole);
                }
                whole.len() as i32
            });
            assert_eq!(got, Some(whole.clone()));
        }
        assert_eq!(pull(|_| -1), None);
        assert_eq!(pull(|_| DENIED), None);
    }

    #[test]
    fn here_nothing_is_granted() {
        assert_eq!(config("tone"), None);
        assert_eq!(kv_get("k"), None);
        assert_eq!(kv_set("k", b"v"), Err(KvError::Denied));
        assert_eq!(kv_delete("k"), Err(KvError::Denied));
        log(Level::Debug, "seen by nobody");
    }
}
