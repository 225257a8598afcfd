//! The developer's machine, where handlers are tested: it has a log and grants nothing.

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

// The exports are compiled here as well, so that a guest's tests see everything that the guest uses. Nobody
// calls them.

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
