//! The developer's machine, where handlers are tested: it has a log and grants nothing.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::SystemTime;

const NONE: i32 = -1;
const DENIED: i32 = -2;

pub(crate) fn log(_level: u32, text: &str) {
    eprintln!("{}", text);
}

pub(crate) fn config(_key: &str, _buffer: &mut [u8]) -> i32 {
    NONE
}

pub(crate) fn kv_get(_key: &str, _buffer: &mut [u8]) -> i32 {
    DENIED
}

pub(crate) fn kv_set(_key: &str, _value: &[u8]) -> i32 {
    DENIED
}

pub(crate) fn kv_delete(_key: &str) -> i32 {
    DENIED
}

pub(crate) fn now() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos() as u64
}

/// What the standard library draws for its hash tables is random enough for tests.
pub(crate) fn random(buffer: &mut [u8]) {
    for bytes in buffer.chunks_mut(8) {
        let drawn = RandomState::new().build_hasher().finish().to_le_bytes();
        bytes.copy_from_slice(&drawn[..bytes.len()]);
    }
}

// The exports are compiled here as well, so that a guest's tests see everything that the guest uses.
// Nobody calls them.

/// `_initialize`.
pub fn start() {}

/// `pintle_alloc`.
pub fn allocate(_size: u32) -> u32 {
    0
}

/// An operation.
pub fn serve(_length: u32, _operation: impl FnOnce(&[u8]) -> Vec<u8>) -> u64 {
    0
}
