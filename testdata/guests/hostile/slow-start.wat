;; Makes every call start it anew, for many times what a call may cost.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "\82\01\62ok") ;; [1, "ok"]
  (func (export "pintle_abi_1"))
  (func (export "pintle_alloc") (param i32) (result i32)
    (i32.const 1024))
  (table $t 1 funcref)
  (elem declare func $init)
  (func $init (export "_initialize") (local $i i32)
    (local.set $i (i32.const 100000000))
    (loop $spin
      (local.set $i (i32.sub (local.get $i) (i32.const 1)))
      (br_if $spin (local.get $i))))
  (func (export "developer_messages_v1_render") (param $ptr i32) (param $len i32) (result i64)
    (if (i32.lt_u (local.get $len) (i32.const 512)) (then (return (i64.const 0x1000000005))))
    (table.set $t (i32.const 0) (ref.func $init))
    (i64.const 0x1000000005)))
