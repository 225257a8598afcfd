;; Calls itself through a table, with many locals in each frame.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "\82\01\62ok") ;; [1, "ok"]
  (func (export "pintle_abi_1"))
  (func (export "pintle_alloc") (param i32) (result i32)
    (i32.const 1024))
  (type $f (func (param i64) (result i64)))
  (table 1 funcref)
  (elem (i32.const 0) $down)
  (func $down (param i64) (result i64)
    (local i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64)
    (i64.add (call_indirect (type $f) (i64.add (local.get 0) (i64.const 1)) (i32.const 0)) (local.get 7)))
  (func (export "developer_messages_v1_render") (param $ptr i32) (param $len i32) (result i64)
    (if (i32.lt_u (local.get $len) (i32.const 512)) (then (return (i64.const 0x1000000005))))
    (call $down (i64.const 1))
    (drop)
    (i64.const 0x1000000005)))
