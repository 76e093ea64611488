;; Calls of the host with arguments that no compiler would make.

;;# a name that is not UTF-8
;; exit: 1
(import "ghost:g/store@0.1.0" "count" (func $count (param i32 i32 i32)))
(data (i32.const 2048) "\ff\fe\80")
(func $main (call $count (i32.const 2048) (i32.const 3) (i32.const 4096)))

;;# a name that lies beyond the memory
;; exit: 1
(import "ghost:g/store@0.1.0" "count" (func $count (param i32 i32 i32)))
(func $main (call $count (i32.const 0x7fff0000) (i32.const 100) (i32.const 4096)))

;;# a name whose end overflows 32 bits
;; exit: 1
(import "ghost:g/store@0.1.0" "count" (func $count (param i32 i32 i32)))
(func $main (call $count (i32.const -16) (i32.const 100) (i32.const 4096)))

;;# a place for the answer that is beyond the memory and not aligned
;; exit: 1
(import "ghost:g/store@0.1.0" "count" (func $count (param i32 i32 i32)))
(data (i32.const 2048) "c")
(func $main (call $count (i32.const 2048) (i32.const 1) (i32.const 0x7ffffff1)))

;;# a console level that does not exist
;; exit: 1
(import "ghost:g/console@0.1.0" "write" (func $write (param i32 i32 i32)))
(func $main (call $write (i32.const 99) (i32.const 2048) (i32.const 1)))

;;# data that is no JSON in ten ways is refused, and nothing is stored
(import "ghost:g/store@0.1.0" "put" (func $put (param i32 i32 i32 i32 i32 i32 i32)))
(import "ghost:g/store@0.1.0" "count" (func $count (param i32 i32 i32)))
(data (i32.const 2048) "c")
(data (i32.const 2064) "NaN{a:1}[1,]01'x'undefined\ef\bb\bf1\22\01\22nul{\22a\22:1}}")
(func $bad (param $at i32) (param $length i32)
  (call $put (i32.const 2048) (i32.const 1) (i32.const 2048) (i32.const 1) (local.get $at) (local.get $length) (i32.const 4096))
  (if (i32.ne (i32.load8_u (i32.const 4096)) (i32.const 1)) (then unreachable)))
(func $main
  (call $bad (i32.const 2064) (i32.const 3)) (call $bad (i32.const 2067) (i32.const 5)) (call $bad (i32.const 2072) (i32.const 4))
  (call $bad (i32.const 2076) (i32.const 2)) (call $bad (i32.const 2078) (i32.const 3)) (call $bad (i32.const 2081) (i32.const 9))
  (call $bad (i32.const 2090) (i32.const 4)) (call $bad (i32.const 2094) (i32.const 3)) (call $bad (i32.const 2097) (i32.const 3))
  (call $bad (i32.const 2100) (i32.const 8)) (call $bad (i32.const 2064) (i32.const 0))
  (call $count (i32.const 2048) (i32.const 1) (i32.const 4096))
  (if (i64.ne (i64.load (i32.const 4104)) (i64.const 0)) (then unreachable)))

;;# JSON of a million brackets is refused
;; exit: 0|1
(import "ghost:g/store@0.1.0" "put" (func $put (param i32 i32 i32 i32 i32 i32 i32)))
(memory (export "memory") 64)
(data (i32.const 2048) "c")
(func $main
  (memory.fill (i32.const 131072) (i32.const 0x5b) (i32.const 1000000))
  (memory.fill (i32.const 1131072) (i32.const 0x5d) (i32.const 1000000))
  (call $put (i32.const 2048) (i32.const 1) (i32.const 2048) (i32.const 1) (i32.const 131072) (i32.const 2000000) (i32.const 4096)))

;;# numbers of JSON with exponents beyond all bounds are kept or refused, and read again
(import "ghost:g/store@0.1.0" "put" (func $put (param i32 i32 i32 i32 i32 i32 i32)))
(import "ghost:g/store@0.1.0" "get" (func $get (param i32 i32 i32 i32 i32)))
(data (i32.const 2048) "c")
(data (i32.const 2064) "[1e999999,-1e-999999,0.1e1,123456789012345678901234567890,{\22a\22:1,\22a\22:2},\22\5cud800\22]")
(func $main
  (call $put (i32.const 2048) (i32.const 1) (i32.const 2048) (i32.const 1) (i32.const 2064) (i32.const 79) (i32.const 4096))
  (call $get (i32.const 2048) (i32.const 1) (i32.const 2048) (i32.const 1) (i32.const 4096)))

;;# names with control characters, of no bytes and of 256 bytes are refused by the host itself
(import "ghost:g/store@0.1.0" "put" (func $put (param i32 i32 i32 i32 i32 i32 i32)))
(data (i32.const 2048) "1")
(data (i32.const 2056) "a\00b")
(func $bad (param $at i32) (param $length i32)
  (call $put (local.get $at) (local.get $length) (i32.const 2048) (i32.const 1) (i32.const 2048) (i32.const 1) (i32.const 4096))
  (if (i32.ne (i32.load8_u (i32.const 4096)) (i32.const 1)) (then unreachable)))
(func $main
  (memory.fill (i32.const 8192) (i32.const 0x78) (i32.const 256))
  (call $bad (i32.const 2056) (i32.const 3)) (call $bad (i32.const 2048) (i32.const 0)) (call $bad (i32.const 8192) (i32.const 256)))

;;# put of three overlapping strings that are each as large as the memory
;; flags: --max-memory 192M
;; exit: 0|1|3
(import "ghost:g/store@0.1.0" "put" (func $put (param i32 i32 i32 i32 i32 i32 i32)))
(func $main
  (drop (memory.grow (i32.const 2800)))
  (memory.fill (i32.const 4096) (i32.const 0x61) (i32.const 160000000))
  (call $put (i32.const 4096) (i32.const 160000000) (i32.const 4097) (i32.const 159999999) (i32.const 4098) (i32.const 159999998) (i32.const 2048)))

;;# a query of 50 MB is refused
;; exit: 0|1|3
(import "ghost:g/search@0.1.0" "query" (func $query (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)))
(func $main
  (drop (memory.grow (i32.const 900)))
  (memory.fill (i32.const 4096) (i32.const 0x61) (i32.const 50000000))
  (call $query (i32.const 4096) (i32.const 50000000) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 2048)))

;;# a thousand lines of the console of 50 MB each, out of one piece of memory
;; exit: 0|1|3
(import "ghost:g/console@0.1.0" "write" (func $write (param i32 i32 i32)))
(func $main (local $i i32)
  (drop (memory.grow (i32.const 800)))
  (memory.fill (i32.const 4096) (i32.const 0x61) (i32.const 50000000))
  (loop $again
    (call $write (i32.const 1) (i32.const 4096) (i32.const 50000000))
    (br_if $again (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 1000)))))

;;# empty lines of the console by the million
;; exit: 0|3
(import "ghost:g/console@0.1.0" "write" (func $write (param i32 i32 i32)))
(func $main (loop $again (call $write (i32.const 0) (i32.const 4096) (i32.const 0)) (br $again)))

;;# lines of the console behind a write that is not on disk
;; exit: 0|3
(import "ghost:g/console@0.1.0" "write" (func $write (param i32 i32 i32)))
(import "ghost:g/store@0.1.0" "put" (func $put (param i32 i32 i32 i32 i32 i32 i32)))
(data (i32.const 2048) "1")
(func $main (local $i i32) (loop $again
  (if (i32.eqz (i32.rem_u (local.get $i) (i32.const 100000))) (then (call $put (i32.const 2048) (i32.const 1) (i32.const 2048) (i32.const 1) (i32.const 2048) (i32.const 1) (i32.const 4096))))
  (local.set $i (i32.add (local.get $i) (i32.const 1)))
  (call $write (i32.const 3) (i32.const 2048) (i32.const 1)) (br $again)))

;;# options beyond their bounds are refused by the host itself
(import "ghost:g/queue@0.1.0" "dequeue" (func $dequeue (param i32 i32 i32 i32 i32 i32)))
(import "ghost:g/queue@0.1.0" "enqueue" (func $enqueue (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)))
(import "ghost:g/store@0.1.0" "count" (func $count (param i32 i32 i32)))
(data (i32.const 2048) "1")
(func $refused (if (i32.ne (i32.load8_u (i32.const 4096)) (i32.const 1)) (then unreachable)))
(func $main
  (call $dequeue (i32.const 2048) (i32.const 1) (i32.const 1) (i32.const 1) (i32.const 0) (i32.const 4096)) (call $refused)
  (call $dequeue (i32.const 2048) (i32.const 1) (i32.const 1) (i32.const 1) (i32.const -1) (i32.const 4096)) (call $refused)
  (call $enqueue (i32.const 2048) (i32.const 1) (i32.const 2048) (i32.const 1) (i32.const 1) (i32.const 1) (i32.const 255) (i32.const 0) (i32.const 0) (i32.const 4096)) (call $refused)
  (call $enqueue (i32.const 2048) (i32.const 1) (i32.const 2048) (i32.const 1) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 1) (i32.const -1) (i32.const 4096)) (call $refused))

;;# the last checkout of 64 bits is not found
(import "ghost:g/queue@0.1.0" "commit" (func $commit (param i64 i32)))
(import "ghost:g/queue@0.1.0" "abort" (func $abort (param i64 i32 i32 i32 i32)))
(func $main
  (call $commit (i64.const -1) (i32.const 4096))
  (if (i32.ne (i32.load8_u (i32.const 4096)) (i32.const 1)) (then unreachable))
  (call $abort (i64.const -1) (i32.const 1) (i32.const 4096) (i32.const 60000) (i32.const 2048)))

;;# a text of an option of which the discriminant is 7
;; exit: 1
(import "ghost:g/queue@0.1.0" "abort" (func $abort (param i64 i32 i32 i32 i32)))
(func $main (call $abort (i64.const 1) (i32.const 7) (i32.const 0) (i32.const 0) (i32.const 4096)))

;;# an indexed document that is nested, is no object, or has no key is refused by the host itself
(import "ghost:g/search@0.1.0" "index" (func $index (param i32 i32 i32)))
(data (i32.const 2048) "{\22_key\22:\22k\22,\22_collection\22:\22c\22,\22a\22:{\22b\22:1}}[1]\22x\22{\22_key\22:\22k\22}null")
(func $bad (param $at i32) (param $length i32)
  (call $index (local.get $at) (local.get $length) (i32.const 4096))
  (if (i32.ne (i32.load8_u (i32.const 4096)) (i32.const 1)) (then unreachable)))
(func $main (call $bad (i32.const 2048) (i32.const 44)) (call $bad (i32.const 2092) (i32.const 3)) (call $bad (i32.const 2095) (i32.const 3)) (call $bad (i32.const 2098) (i32.const 12)) (call $bad (i32.const 2110) (i32.const 4)))

;;# a secret is asked for by names that are none
;; exit: 0
(import "ghost:g/sqldb@0.1.0" "query" (func $query (param i32 i32 i32 i32 i32 i32 i32 i32)))
(data (i32.const 2048) "../../etc/passwd\00\1b[31m")
(func $main
  (call $query (i32.const 2048) (i32.const 16) (i32.const 2048) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 4096))
  (if (i32.ne (i32.load8_u (i32.const 4096)) (i32.const 1)) (then unreachable))
  (call $query (i32.const 2048) (i32.const 22) (i32.const 2048) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 4096))
  (if (i32.ne (i32.load8_u (i32.const 4096)) (i32.const 1)) (then unreachable)))

;;# waits that are begun by the hundred thousand and never looked at
;; exit: 0|1|3
(import "ghost:g/queue@0.1.0" "[async-lower]wait-for-item" (func $wait (param i32 i32) (result i32)))
(data (i32.const 2048) "\00\20\00\00\01\00\00\00")
(func $main (local $i i32)
  (i32.store8 (i32.const 8192) (i32.const 0x71))
  (loop $again
    (drop (call $wait (i32.const 2048) (i32.add (i32.const 16384) (i32.mul (local.get $i) (i32.const 8)))))
    (br_if $again (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 10000)))))

;;# streams that are made by the million and never used
;; exit: 0|1|3
(import "ghost:g/sqldb@0.1.0" "[stream-new-0]copy-from" (func $new (result i64)))
(func $main (local $i i32) (loop $again (drop (call $new)) (br_if $again (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 10000000)))))

;;# sets of what can be waited for, by the million
;; exit: 0|1|3
(import "$root" "[waitable-set-new]" (func $new (result i32)))
(func $main (local $i i32) (loop $again (drop (call $new)) (br_if $again (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 10000000)))))

;;# handles that are invented are dropped
;; exit: 1
(import "$root" "[waitable-set-drop]" (func $drop (param i32)))
(func $main (call $drop (i32.const 12345)))

;;# a pollable that is invented is waited for
;; exit: 1
(import "wasi:io/poll@0.2.0" "[method]pollable.block" (func $block (param i32)))
(func $main (call $block (i32.const 777)))

;;# a stream is dropped twice
;; exit: 1
(import "wasi:cli/stdout@0.2.0" "get-stdout" (func $stdout (result i32)))
(import "wasi:io/streams@0.2.0" "[resource-drop]output-stream" (func $drop (param i32)))
(func $main (local $one i32) (local.set $one (call $stdout)) (call $drop (local.get $one)) (call $drop (local.get $one)))

;;# pollables are made by the million and never dropped
;; exit: 0|1|3
(import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $subscribe (param i64) (result i32)))
(func $main (loop $again (drop (call $subscribe (i64.const 0x7fffffffffffffff))) (br $again)))

;;# handles of standard output are made by the million
;; exit: 0|1|3
(import "wasi:cli/stdout@0.2.0" "get-stdout" (func $stdout (result i32)))
(func $main (loop $again (drop (call $stdout)) (br $again)))

;;# a line that does not end is begun on every handle of standard output
;; exit: 0|1|3
(import "wasi:cli/stdout@0.2.0" "get-stdout" (func $stdout (result i32)))
(import "wasi:io/streams@0.2.0" "[method]output-stream.check-write" (func $check (param i32 i32)))
(import "wasi:io/streams@0.2.0" "[method]output-stream.write" (func $write (param i32 i32 i32 i32)))
(func $main (local $one i32)
  (memory.fill (i32.const 8192) (i32.const 0x61) (i32.const 60000))
  (loop $again
    (local.set $one (call $stdout))
    (call $check (local.get $one) (i32.const 2048))
    (call $write (local.get $one) (i32.const 8192) (i32.const 60000) (i32.const 2048))
    (br $again)))

;;# zeroes by the terabyte are written to standard output
;; exit: 0|1|3
(import "wasi:cli/stdout@0.2.0" "get-stdout" (func $stdout (result i32)))
(import "wasi:io/streams@0.2.0" "[method]output-stream.blocking-write-zeroes-and-flush" (func $zeroes (param i32 i64 i32)))
(func $main (call $zeroes (call $stdout) (i64.const 0x10000000000) (i32.const 2048)))

;;# zeroes by the gigabyte are written at once
;; exit: 0|1|3
(import "wasi:cli/stdout@0.2.0" "get-stdout" (func $stdout (result i32)))
(import "wasi:io/streams@0.2.0" "[method]output-stream.write-zeroes" (func $zeroes (param i32 i64 i32)))
(func $main (call $zeroes (call $stdout) (i64.const 0x100000000) (i32.const 2048)))

;;# random bytes by the terabyte
;; exit: 0|1|3
(import "wasi:random/random@0.2.0" "get-random-bytes" (func $random (param i64 i32)))
(func $main (call $random (i64.const 0x10000000000) (i32.const 2048)))

;;# random bytes by 60 MB, again and again
;; exit: 0|1|3
(import "wasi:random/random@0.2.0" "get-random-bytes" (func $random (param i64 i32)))
(global $next (mut i32) (i32.const 0))
(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (drop (memory.grow (i32.const 950))) (i32.const 131072))
(func $main (loop $again (call $random (i64.const 60000000) (i32.const 2048)) (br $again)))

;;# standard input is read and skipped by the terabyte
;; exit: 0|1|3
(import "wasi:cli/stdin@0.2.0" "get-stdin" (func $stdin (result i32)))
(import "wasi:io/streams@0.2.0" "[method]input-stream.blocking-read" (func $read (param i32 i64 i32)))
(import "wasi:io/streams@0.2.0" "[method]input-stream.skip" (func $skip (param i32 i64 i32)))
(func $main (local $one i32) (local.set $one (call $stdin)) (call $skip (local.get $one) (i64.const -1) (i32.const 2048)) (call $read (local.get $one) (i64.const -1) (i32.const 2048)))

;;# a million pollables are polled at once
;; exit: 0|1|3
(import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $subscribe (param i64) (result i32)))
(import "wasi:io/poll@0.2.0" "poll" (func $poll (param i32 i32 i32)))
(func $main (local $one i32) (local $i i32)
  (drop (memory.grow (i32.const 100)))
  (local.set $one (call $subscribe (i64.const 0x7fffffffffffffff)))
  (loop $again
    (i32.store (i32.add (i32.const 131072) (i32.mul (local.get $i) (i32.const 4))) (local.get $one))
    (br_if $again (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 1000000))))
  (call $poll (i32.const 131072) (i32.const 1000000) (i32.const 2048)))

;;# standard output is flooded without a line's end
;; exit: 0|3
(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
(data (i32.const 2048) "\00\20\00\00\00\e0\00\00")
(func $main (memory.fill (i32.const 8192) (i32.const 0x61) (i32.const 57344)) (loop $again (drop (call $write (i32.const 1) (i32.const 2048) (i32.const 1) (i32.const 4096))) (drop (call $write (i32.const 2) (i32.const 2048) (i32.const 1) (i32.const 4096))) (br $again)))

;;# there is no environment, no argument and no open folder
(import "wasi_snapshot_preview1" "environ_sizes_get" (func $environ (param i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "args_sizes_get" (func $args (param i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "fd_prestat_get" (func $prestat (param i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
(data (i32.const 2048) "/etc/passwd")
(func $main (local $fd i32)
  (drop (call $environ (i32.const 4096) (i32.const 4100))) (drop (call $args (i32.const 4104) (i32.const 4108)))
  (if (i32.or (i32.load (i32.const 4096)) (i32.load (i32.const 4104))) (then unreachable))
  (loop $next
    (if (i32.eqz (call $prestat (local.get $fd) (i32.const 8192))) (then unreachable))
    (if (i32.eqz (call $open (local.get $fd) (i32.const 1) (i32.const 2048) (i32.const 11) (i32.const 0) (i64.const 2) (i64.const 2) (i32.const 0) (i32.const 8192))) (then unreachable))
    (br_if $next (i32.lt_u (local.tee $fd (i32.add (local.get $fd) (i32.const 1))) (i32.const 64)))))

;;# the component exits by itself with success
;; exit: 0|1
(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
(func $main (call $exit (i32.const 0)))

;;# the component exits by itself with the status of a limit
;; exit: 1
(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
(func $main (call $exit (i32.const 3)))

;;# the component sleeps for ever
;; exit: 3
;; flags: --timeout 1s
(import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $subscribe (param i64) (result i32)))
(import "wasi:io/poll@0.2.0" "[method]pollable.block" (func $block (param i32)))
(func $main (call $block (call $subscribe (i64.const -1))))

;;# clocks are read without end
;; exit: 3
;; flags: --timeout 1s
(import "wasi_snapshot_preview1" "clock_time_get" (func $time (param i32 i64 i32) (result i32)))
(func $main (loop $again (drop (call $time (i32.const 0) (i64.const 0) (i32.const 4096))) (drop (call $time (i32.const 1) (i64.const 0) (i32.const 4096))) (br $again)))

;;# sockets are imported
;; exit: 2
(import "wasi:sockets/instance-network@0.2.0" "instance-network" (func $network (result i32)))
(func $main (drop (call $network)))

;;# HTTP is imported
;; exit: 2
(import "wasi:http/types@0.2.0" "[constructor]fields" (func $fields (result i32)))
(func $main (drop (call $fields)))

;;# an external namespace is imported by an MCP script
;; exit: 2
;; flags: --origin mcp
(import "ghost:g/sqldb@0.1.0" "[async-lower]list-databases" (func $list (param i32 i32 i32) (result i32)))
(func $main (drop (call $list (i32.const 0) (i32.const 0) (i32.const 4096))))
