;; Recurses until the host says no, in functions that call each other in a circle.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "\82\01\62ok") ;; [1, "ok"]
  (func (export "pintle_abi_1"))
  (func (export "pintle_alloc") (param i32) (result i32)
    (i32.const 1024))
  (func $a (param i64) (local i64 i64 i64) (call $b (i64.add (local.get 0) (i64.const 1))))
  (func $b (param i64) (call $c (local.get 0)))
  (func $c (param i64) (local v128 v128 v128 v128) (call $a (local.get 0)))
  (func (export "developer_messages_v1_render") (param $ptr i32) (param $len i32) (result i64)
    (if (i32.lt_u (local.get $len) (i32.const 512)) (then (return (i64.const 0x1000000005))))
    (call $a (i64.const 0))
    (i64.const 0x1000000005)))
