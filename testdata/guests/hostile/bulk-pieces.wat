;; Fills and copies pieces that are one byte longer than what is done at once, without end.
(module
  (memory (export "memory") 16)
  (data (i32.const 16) "\82\01\62ok") ;; [1, "ok"]
  (func (export "pintle_abi_1"))
  (func (export "pintle_alloc") (param i32) (result i32)
    (i32.const 1024))
  (func (export "developer_messages_v1_render") (param $ptr i32) (param $len i32) (result i64)
    (if (i32.lt_u (local.get $len) (i32.const 512)) (then (return (i64.const 0x1000000005))))
    (loop $again
      (memory.fill (i32.const 100000) (i32.const 7) (i32.const 65537))
      (memory.copy (i32.const 200000) (i32.const 100001) (i32.const 65537))
      (memory.copy (i32.const 100001) (i32.const 100000) (i32.const 131073))
      (br $again))
    (unreachable)))
