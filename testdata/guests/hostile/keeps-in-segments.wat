;; Drops its segments, and needs them in the next call.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "\82\01\62ok") ;; [1, "ok"]
  (func (export "pintle_abi_1"))
  (func (export "pintle_alloc") (param i32) (result i32)
    (i32.const 1024))
  (table $t 1 funcref)
  (func $f)
  (elem $e func $f)
  (data $d "once")
  (func (export "developer_messages_v1_render") (param $ptr i32) (param $len i32) (result i64)
    (if (i32.lt_u (local.get $len) (i32.const 512)) (then (return (i64.const 0x1000000005))))
    (memory.init $d (i32.const 4096) (i32.const 0) (i32.const 4))
    (table.init $t $e (i32.const 0) (i32.const 0) (i32.const 1))
    (data.drop $d)
    (elem.drop $e)
    (i64.const 0x1000000005)))
