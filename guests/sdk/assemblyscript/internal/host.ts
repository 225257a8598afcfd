// The functions of the host. One that a guest does not use is not imported, so its manifest need not ask
// for the capability.

// @ts-ignore: decorator
@external("pintle/1", "log")
export declare function log(level: i32, text: usize, length: usize): void;

// It does not return.
// @ts-ignore: decorator
@external("pintle/1", "panic")
export declare function panic(text: usize, length: usize): void;

// @ts-ignore: decorator
@external("pintle/1", "config")
export declare function config(key: usize, keyLength: usize, buffer: usize, length: usize): i32;

// @ts-ignore: decorator
@external("pintle/1", "kv_get")
export declare function kvGet(key: usize, keyLength: usize, buffer: usize, length: usize): i32;

// @ts-ignore: decorator
@external("pintle/1", "kv_set")
export declare function kvSet(key: usize, keyLength: usize, value: usize, valueLength: usize): i32;

// @ts-ignore: decorator
@external("pintle/1", "kv_delete")
export declare function kvDelete(key: usize, keyLength: usize): i32;

// @ts-ignore: decorator
@external("wasi_snapshot_preview1", "clock_time_get")
export declare function clockTime(clock: i32, precision: i64, time: usize): i32;

// @ts-ignore: decorator
@external("wasi_snapshot_preview1", "random_get")
export declare function random(buffer: usize, length: usize): i32;
