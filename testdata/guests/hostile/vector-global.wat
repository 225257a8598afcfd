;; Counts its calls in both halves of a global of 128 bits.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "\82\01\62ok") ;; [1, "ok"]
  (func (export "pintle_abi_1"))
  (func (export "pintle_alloc") (param i32) (result i32)
    (i32.const 1024))
  ;; The second letter of the answer says a number.
  (func $show (param i32)
    (i32.store8 (i32.const 20) (i32.add (i32.const 97) (i32.and (local.get 0) (i32.const 15)))))
  (global $v (mut v128) (v128.const i64x2 0 0))
  (func (export "developer_messages_v1_render") (param $ptr i32) (param $len i32) (result i64)
    (if (i32.lt_u (local.get $len) (i32.const 512)) (then (return (i64.const 0x1000000005))))
    (global.set $v (i64x2.add (global.get $v) (v128.const i64x2 1 2)))
    (call $show (i32.wrap_i64 (i64.add (i64x2.extract_lane 0 (global.get $v)) (i64x2.extract_lane 1 (global.get $v)))))
    (i64.const 0x1000000005)))
