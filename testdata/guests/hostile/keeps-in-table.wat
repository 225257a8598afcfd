;; Keeps in entries and the size of tables that it was called.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "\82\01\62ok") ;; [1, "ok"]
  (func (export "pintle_abi_1"))
  (func (export "pintle_alloc") (param i32) (result i32)
    (i32.const 1024))
  ;; The second letter of the answer says a number.
  (func $show (param i32)
    (i32.store8 (i32.const 20) (i32.add (i32.const 97) (i32.and (local.get 0) (i32.const 15)))))
  (table $a 2 funcref)
  (table $b 2 externref)
  (elem declare func $show)
  (func (export "developer_messages_v1_render") (param $ptr i32) (param $len i32) (result i64)
    (if (i32.lt_u (local.get $len) (i32.const 512)) (then (return (i64.const 0x1000000005))))
    (call $show (i32.add (table.size $a) (ref.is_null (table.get $a (i32.const 1)))))
    (table.set $a (i32.const 1) (ref.func $show))
    (drop (table.grow $a (ref.func $show) (i32.const 1)))
    (drop (table.grow $b (ref.null extern) (i32.const 1)))
    (i64.const 0x1000000005)))
