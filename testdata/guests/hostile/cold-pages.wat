;; Touches one byte of every page of all of its memory, after growing.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "\82\01\62ok") ;; [1, "ok"]
  (func (export "pintle_abi_1"))
  (func (export "pintle_alloc") (param i32) (result i32)
    (i32.const 1024))
  (func (export "developer_messages_v1_render") (param $ptr i32) (param $len i32) (result i64)
    (local $i i32)
    (if (i32.lt_u (local.get $len) (i32.const 512)) (then (return (i64.const 0x1000000005))))
    (drop (memory.grow (i32.const 900)))
    (loop $again
      (local.set $i (i32.const 0))
      (loop $page
        (i32.store8 (local.get $i) (i32.const 1))
        (local.set $i (i32.add (local.get $i) (i32.const 4096)))
        (br_if $page (i32.lt_u (local.get $i) (i32.const 58982400))))
      (br $again))
    (unreachable)))
