;; Keeps a secret wherever it can, and tells everything that it finds. The first byte of a request says what
;; to do, the 64 bytes behind it are the secret:
;;
;;   h  keep the secret, l in an endless loop afterwards, g in grown memory as well, p panic with it, x exit
;;   d  answer all of memory, with everything else that can be seen written into it
;;
;; Anything else is answered with "ok".
(module
  (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_close" (func $close (param i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_fdstat_get" (func $stat (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (import "pintle/1" "log" (func $log (param i32 i32 i32)))
  (import "pintle/1" "panic" (func $panic (param i32 i32)))
  (import "pintle/1" "config" (func $config (param i32 i32 i32 i32) (result i32)))
  (import "pintle/1" "kv_get" (func $get (param i32 i32 i32 i32) (result i32)))
  (import "pintle/1" "kv_set" (func $set (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 4)
  (data (i32.const 512) "\82\01\62ok") ;; [1, "ok"]
  (data (i32.const 600) "key")
  (data (i32.const 100000) "what was there before")
  (func (export "pintle_abi_1"))
  (func (export "pintle_alloc") (param i32) (result i32)
    (i32.const 1024))
  (global $g0 (mut i32) (i32.const 1))
  (global $g1 (mut i32) (i32.const 1))
  (global $g2 (mut i64) (i64.const 2))
  (global $g3 (mut i64) (i64.const 2))
  (global $g4 (mut f32) (f32.const 3))
  (global $g5 (mut f32) (f32.const 3))
  (global $g6 (mut f64) (f64.const 4))
  (global $g7 (mut f64) (f64.const 4))
  (global $g8 (mut v128) (v128.const i64x2 5 6))
  (global $g9 (mut v128) (v128.const i64x2 5 6))

  ;; The secret into a place, which may end with memory.
  (func $put (param $to i32) (param $secret i32)
    (memory.copy (local.get $to) (local.get $secret) (i32.const 64)))

  ;; Frames full of the secret.
  (func $stack (param $n i32) (param $x i64)
    (local i64 i64 i64 i64 i64 i64 i64 i64)
    (local.set 2 (local.get $x))
    (local.set 3 (local.get $x))
    (local.set 4 (local.get $x))
    (local.set 5 (local.get $x))
    (local.set 6 (local.get $x))
    (local.set 7 (local.get $x))
    (local.set 8 (local.get $x))
    (local.set 9 (local.get $x))
    (if (local.get $n) (then (call $stack (i32.sub (local.get $n) (i32.const 1)) (local.get $x)))))

  ;; Locals that nobody has set.
  (func $unset (param $at i32)
    (local i64 i64 i64 i64 i64 i64 i64 i64)
    (i64.store offset=0 (local.get $at) (local.get 1))
    (i64.store offset=8 (local.get $at) (local.get 2))
    (i64.store offset=16 (local.get $at) (local.get 3))
    (i64.store offset=24 (local.get $at) (local.get 4))
    (i64.store offset=32 (local.get $at) (local.get 5))
    (i64.store offset=40 (local.get $at) (local.get 6))
    (i64.store offset=48 (local.get $at) (local.get 7))
    (i64.store offset=56 (local.get $at) (local.get 8)))

  (func $keep (param $secret i32)
    (local $i i32)
    (global.set $g0 (i32.load offset=0 (local.get $secret)))
    (global.set $g1 (i32.load offset=4 (local.get $secret)))
    (global.set $g2 (i64.load offset=8 (local.get $secret)))
    (global.set $g3 (i64.load offset=16 (local.get $secret)))
    (global.set $g4 (f32.load offset=24 (local.get $secret)))
    (global.set $g5 (f32.load offset=28 (local.get $secret)))
    (global.set $g6 (f64.load offset=32 (local.get $secret)))
    (global.set $g7 (f64.load offset=40 (local.get $secret)))
    (global.set $g8 (v128.load offset=48 (local.get $secret)))
    (global.set $g9 (v128.load offset=16 (local.get $secret)))
    ;; Memory: over the data, into every page, and at the very end.
    (call $put (i32.const 700) (local.get $secret))
    (call $put (i32.const 100000) (local.get $secret))
    (call $put (i32.sub (i32.mul (memory.size) (i32.const 65536)) (i32.const 64)) (local.get $secret))
    (local.set $i (i32.const 8192))
    (loop $page
      (call $put (local.get $i) (local.get $secret))
      (local.set $i (i32.add (local.get $i) (i32.const 4096)))
      (br_if $page (i32.lt_u (local.get $i) (i32.mul (memory.size) (i32.const 65536)))))
    (call $stack (i32.const 200) (i64.load (local.get $secret)))
    ;; The host: lines that are not finished, the log, the store, time, random numbers and descriptors.
    (i32.store (i32.const 800) (local.get $secret))
    (i32.store (i32.const 804) (i32.const 64))
    (drop (call $write (i32.const 1) (i32.const 800) (i32.const 1) (i32.const 808)))
    (drop (call $write (i32.const 2) (i32.const 800) (i32.const 1) (i32.const 808)))
    (call $log (i32.const 1) (local.get $secret) (i32.const 64))
    (drop (call $set (i32.const 600) (i32.const 3) (local.get $secret) (i32.const 64)))
    (drop (call $set (local.get $secret) (i32.const 64) (local.get $secret) (i32.const 64)))
    (memory.fill (i32.const 832) (i32.const 0) (i32.const 48))
    (i64.store (i32.const 856) (i64.load32_u (local.get $secret))) ;; for so many nanoseconds
    (drop (call $poll (i32.const 832) (i32.const 880) (i32.const 1) (i32.const 912)))
    (drop (call $random (i32.const 920) (i32.and (i32.load8_u (local.get $secret)) (i32.const 63))))
    (drop (call $close (i32.rem_u (i32.load8_u (local.get $secret)) (i32.const 3)))))

  (func $dump
    (local $i i32)
    (memory.copy (i32.const 16) (i32.const 700) (i32.const 64)) ;; not to be covered by what follows
    (i32.store (i32.const 96) (global.get $g0))
    (i32.store (i32.const 112) (global.get $g1))
    (i64.store (i32.const 128) (global.get $g2))
    (i64.store (i32.const 144) (global.get $g3))
    (f32.store (i32.const 160) (global.get $g4))
    (f32.store (i32.const 176) (global.get $g5))
    (f64.store (i32.const 192) (global.get $g6))
    (f64.store (i32.const 208) (global.get $g7))
    (v128.store (i32.const 224) (global.get $g8))
    (v128.store (i32.const 240) (global.get $g9))
    (i32.store (i32.const 256) (memory.size))
    (drop (call $clock (i32.const 0) (i64.const 0) (i32.const 264)))
    (drop (call $clock (i32.const 1) (i64.const 0) (i32.const 272)))
    (drop (call $random (i32.const 280) (i32.const 16)))
    (i32.store (i32.const 296) (call $stat (i32.const 0) (i32.const 960)))
    (i32.store (i32.const 300) (call $stat (i32.const 1) (i32.const 960)))
    (i32.store (i32.const 304) (call $stat (i32.const 2) (i32.const 960)))
    (i32.store (i32.const 308) (call $get (i32.const 600) (i32.const 3) (i32.const 700) (i32.const 64)))
    (i32.store (i32.const 312) (call $config (i32.const 600) (i32.const 3) (i32.const 780) (i32.const 16)))
    (call $unset (i32.const 316)))

  (func (export "developer_messages_v1_render") (param $ptr i32) (param $len i32) (result i64)
    (local $what i32)
    (local.set $what (i32.load8_u (local.get $ptr)))
    (if (i32.eq (local.get $what) (i32.const 100)) (then ;; d
      (call $dump)
      ;; [1, bytes]: seven bytes of head, and memory behind them
      (i32.store (i32.const 0) (i32.const 0x005a0182))
      (i32.store8 offset=3 (i32.const 0) (i32.const 0))
      (i32.store8 offset=4 (i32.const 0) (i32.sub (memory.size) (i32.const 1)))
      (i32.store16 offset=5 (i32.const 0) (i32.const 0xf9ff)) ;; 65536 * size - 7
      (return (i64.extend_i32_u (i32.mul (memory.size) (i32.const 65536))))))
    (if (i32.ge_u (local.get $what) (i32.const 0xa0)) (then (return (i64.const 0x20000000005))))
    (local.set $ptr (i32.add (local.get $ptr) (i32.const 1)))
    (if (i32.eq (local.get $what) (i32.const 103)) (then ;; g
      (drop (memory.grow (i32.const 3)))))
    (call $keep (local.get $ptr))
    (if (i32.eq (local.get $what) (i32.const 112)) (then (call $panic (local.get $ptr) (i32.const 64)))) ;; p
    (if (i32.eq (local.get $what) (i32.const 120)) (then (call $exit (i32.load8_u (local.get $ptr))))) ;; x
    (if (i32.eq (local.get $what) (i32.const 108)) (then (loop $again (br $again)))) ;; l
    (i64.const 0x20000000005)))
