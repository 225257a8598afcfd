;; Counts its calls in globals of four types.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "\82\01\62ok") ;; [1, "ok"]
  (func (export "pintle_abi_1"))
  (func (export "pintle_alloc") (param i32) (result i32)
    (i32.const 1024))
  ;; The second letter of the answer says a number.
  (func $show (param i32)
    (i32.store8 (i32.const 20) (i32.add (i32.const 97) (i32.and (local.get 0) (i32.const 15)))))
  (global $a (mut i32) (i32.const 0))
  (global $b (mut i64) (i64.const 0))
  (global $c (mut f32) (f32.const 0))
  (global $d (mut f64) (f64.const 0))
  (func (export "developer_messages_v1_render") (param $ptr i32) (param $len i32) (result i64)
    (if (i32.lt_u (local.get $len) (i32.const 512)) (then (return (i64.const 0x1000000005))))
    (global.set $a (i32.add (global.get $a) (i32.const 1)))
    (global.set $b (i64.add (global.get $b) (i64.const 0x100000000)))
    (global.set $c (f32.add (global.get $c) (f32.const 1)))
    (global.set $d (f64.add (global.get $d) (f64.const 1)))
    (call $show (i32.add
      (i32.add (global.get $a) (i32.wrap_i64 (i64.shr_u (global.get $b) (i64.const 32))))
      (i32.add (i32.trunc_f32_u (global.get $c)) (i32.trunc_f64_u (global.get $d)))))
    (i64.const 0x1000000005)))
