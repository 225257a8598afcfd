;; Hands huge lengths and ranges outside of memory to its store.
(module
  (import "pintle/1" "kv_set" (func $set (param i32 i32 i32 i32) (result i32)))
  (import "pintle/1" "kv_get" (func $get (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "\82\01\62ok") ;; [1, "ok"]
  (func (export "pintle_abi_1"))
  (func (export "pintle_alloc") (param i32) (result i32)
    (i32.const 1024))
  (func (export "developer_messages_v1_render") (param $ptr i32) (param $len i32) (result i64)
    (if (i32.lt_u (local.get $len) (i32.const 512)) (then (return (i64.const 0x1000000005))))
    (drop (call $set (i32.const 0) (i32.const -1) (i32.const 0) (i32.const 1)))
    (drop (call $set (i32.const 0) (i32.const 1) (i32.const 0) (i32.const -1)))
    (drop (call $get (i32.const 0) (i32.const -1) (i32.const 0) (i32.const -1)))
    (drop (call $set (i32.const 65530) (i32.const 200) (i32.const 0) (i32.const 1)))
    (i64.const 0x1000000005)))
