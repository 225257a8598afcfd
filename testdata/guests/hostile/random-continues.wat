;; Answers a random number.
(module
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "\82\01\62ok") ;; [1, "ok"]
  (func (export "pintle_abi_1"))
  (func (export "pintle_alloc") (param i32) (result i32)
    (i32.const 1024))
  ;; The second letter of the answer says a number.
  (func $show (param i32)
    (i32.store8 (i32.const 20) (i32.add (i32.const 97) (i32.and (local.get 0) (i32.const 15)))))
  (func (export "developer_messages_v1_render") (param $ptr i32) (param $len i32) (result i64)
    (if (i32.lt_u (local.get $len) (i32.const 512)) (then (return (i64.const 0x1000000005))))
    (drop (call $random (i32.const 64) (i32.const 8)))
    (call $show (i32.load (i32.const 64)))
    (i64.const 0x1000000005)))
