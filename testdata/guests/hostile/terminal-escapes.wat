;; Its reason and its logs try to steer a terminal.
(module
  (import "pintle/1" "log" (func $log (param i32 i32 i32)))
  (import "pintle/1" "panic" (func $panic (param i32 i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "\82\01\62ok") ;; [1, "ok"]
  (func (export "pintle_abi_1"))
  (func (export "pintle_alloc") (param i32) (result i32)
    (i32.const 1024))
  (data (i32.const 32) "\1b[2J\1b]0;x\07\r\nhi\c2\9b")
  (func (export "developer_messages_v1_render") (param $ptr i32) (param $len i32) (result i64)
    (if (i32.lt_u (local.get $len) (i32.const 512)) (then (return (i64.const 0x1000000005))))
    (call $log (i32.const 2) (i32.const 32) (i32.const 14))
    (call $panic (i32.const 32) (i32.const 14))
    (unreachable)))
