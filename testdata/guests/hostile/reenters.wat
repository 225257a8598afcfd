;; Its operation calls its own exports: the allocator, the initialiser and the operation.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "\82\01\62ok") ;; [1, "ok"]
  (func (export "pintle_abi_1"))
  (func (export "pintle_alloc") (param i32) (result i32)
    (i32.const 1024))
  (func $alloc (param i32) (result i32) (i32.const 1024))
  (func $init (export "_initialize"))
  (func $again (export "again") (param i32 i32) (result i64) (i64.const 0x1000000005))
  (func (export "developer_messages_v1_render") (param $ptr i32) (param $len i32) (result i64)
    (if (i32.lt_u (local.get $len) (i32.const 512)) (then (return (i64.const 0x1000000005))))
    (drop (call $alloc (i32.const 1000000)))
    (call $init)
    (if (result i64) (i32.eqz (local.get $len))
      (then (i64.const 0x1000000005))
      (else (call $again (i32.const 1024) (i32.const 0))))))
