;; Panics with a reason of 4 GiB, of which all but the first letters are no UTF-8.
(module
  (import "pintle/1" "panic" (func $panic (param i32 i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "\82\01\62ok") ;; [1, "ok"]
  (func (export "pintle_abi_1"))
  (func (export "pintle_alloc") (param i32) (result i32)
    (i32.const 1024))
  (data (i32.const 32) "too long")
  (func (export "developer_messages_v1_render") (param $ptr i32) (param $len i32) (result i64)
    (if (i32.lt_u (local.get $len) (i32.const 512)) (then (return (i64.const 0x1000000005))))
    (memory.fill (i32.const 40) (i32.const 0xff) (i32.const 8000))
    (call $panic (i32.const 32) (i32.const -1))
    (unreachable)))
