;; Grows tables without end: entries are the host's memory.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "\82\01\62ok") ;; [1, "ok"]
  (func (export "pintle_abi_1"))
  (func (export "pintle_alloc") (param i32) (result i32)
    (i32.const 1024))
  (table $a 1 funcref)
  (table $b 1 externref)
  (func (export "developer_messages_v1_render") (param $ptr i32) (param $len i32) (result i64)
    (if (i32.lt_u (local.get $len) (i32.const 512)) (then (return (i64.const 0x1000000005))))
    (loop $again
      (drop (table.grow $a (ref.null func) (i32.const 1000)))
      (drop (table.grow $b (ref.null extern) (i32.const 0x40000000)))
      (br $again))
    (unreachable)))
