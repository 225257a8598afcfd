;; Writes to standard error with 1,024 vectors, each of all of memory, again and again.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 16)
  (data (i32.const 16) "\82\01\62ok") ;; [1, "ok"]
  (func (export "pintle_abi_1"))
  (func (export "pintle_alloc") (param i32) (result i32)
    (i32.const 1024))
  (func (export "developer_messages_v1_render") (param $ptr i32) (param $len i32) (result i64)
    (local $i i32)
    (if (i32.lt_u (local.get $len) (i32.const 512)) (then (return (i64.const 0x1000000005))))
    (local.set $i (i32.const 4096))
    (loop $fill
      (i32.store (local.get $i) (i32.const 0))
      (i32.store offset=4 (local.get $i) (i32.const 1048576))
      (local.set $i (i32.add (local.get $i) (i32.const 8)))
      (br_if $fill (i32.lt_u (local.get $i) (i32.const 12288))))
    (loop $again
      (drop (call $write (i32.const 2) (i32.const 4096) (i32.const 1024) (i32.const 0)))
      (br $again))
    (unreachable)))
