//! The functions that the host has for guests, and the memory that the host reads and writes.

#![allow(unsafe_code)]

use std::panic;
use std::sync::Mutex;

// What the host holds the addresses of stays here: the buffer that it writes requests to, and the
// answer until the next call. There are no threads; the locks are there because statics need them.
static REQUEST: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static ANSWER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

mod host {
    #[link(wasm_import_module = "pintle/1")]
    extern "C" {
        pub fn log(level: u32, text: *const u8, length: usize);
        pub fn panic(reason: *const u8, length: usize);
        pub fn config(key: *const u8, key_length: usize, buffer: *mut u8, length: usize) -> i32;
        pub fn kv_get(key: *const u8, key_length: usize, buffer: *mut u8, length: usize) -> i32;
        pub fn kv_set(key: *const u8, key_length: usize, value: *const u8, length: usize) -> i32;
        pub fn kv_delete(key: *const u8, key_length: usize) -> i32;
    }

    #[link(wasm_import_module = "wasi_snapshot_preview1")]
    extern "C" {
        pub fn clock_time_get(clock: u32, precision: u64, time: *mut u64) -> u32;
        pub fn random_get(buffer: *mut u8, length: usize) -> u32;
    }
}

// Each call below hands over the address and the length of something that lives until the host returns,
// and the host neither reads nor writes outside it, nor keeps the address.

pub(crate) fn log(level: u32, text: &str) {
    unsafe { host::log(level, text.as_ptr(), text.len()) }
}

pub(crate) fn config(key: &str, buffer: &mut [u8]) -> i32 {
    unsafe { host::config(key.as_ptr(), key.len(), buffer.as_mut_ptr(), buffer.len()) }
}

pub(crate) fn kv_get(key: &str, buffer: &mut [u8]) -> i32 {
    unsafe { host::kv_get(key.as_ptr(), key.len(), buffer.as_mut_ptr(), buffer.len()) }
}

pub(crate) fn kv_set(key: &str, value: &[u8]) -> i32 {
    unsafe { host::kv_set(key.as_ptr(), key.len(), value.as_ptr(), value.len()) }
}

pub(crate) fn kv_delete(key: &str) -> i32 {
    unsafe { host::kv_delete(key.as_ptr(), key.len()) }
}

// These two fail for addresses outside memory only.

pub(crate) fn now() -> u64 {
    let mut time = 0;
    unsafe { host::clock_time_get(0, 1, &mut time) };
    time
}

pub(crate) fn random(buffer: &mut [u8]) {
    unsafe { host::random_get(buffer.as_mut_ptr(), buffer.len()) };
}

/// Makes panics tell the host why, from the place that failed: the call ends inside the hook, so the
/// trace has the author's functions.
pub fn start() {
    panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let message = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("a value that is no text");
        let mut reason = String::from(message);
        if let Some(place) = info.location() {
            reason = [message, " (", place.file(), ":", &place.line().to_string(), ")"].concat();
        }
        unsafe { host::panic(reason.as_ptr(), reason.len()) }
    }));
}

/// A buffer for requests of up to that many bytes, in place of the one before; 0 if there is no memory
/// for it.
pub fn allocate(size: u32) -> u32 {
    let mut request = lock(&REQUEST);
    *request = Vec::new();
    if request.try_reserve_exact(size as usize).is_err() {
        return 0;
    }
    request.resize(size as usize, 0);
    request.as_ptr() as u32
}

/// Runs an operation on the request that the host wrote to the buffer and tells where the answer is.
pub fn serve(length: u32, operation: impl FnOnce(&[u8]) -> Vec<u8>) -> u64 {
    let request = lock(&REQUEST);
    let mut answer = lock(&ANSWER);
    *answer = Vec::new();
    // A length beyond the buffer would be the host's fault; the request is malformed then.
    *answer = operation(request.get(..length as usize).unwrap_or_default());
    u64::from(answer.as_ptr() as u32) << 32 | answer.len() as u64
}

fn lock(bytes: &'static Mutex<Vec<u8>>) -> std::sync::MutexGuard<'static, Vec<u8>> {
    bytes.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
