;; Code that takes what it can, and answers that are none.

;;# memory grows until it is refused, and is touched
;; exit: 0|3
(func $main (local $at i32)
  (loop $again (br_if $again (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
  (memory.fill (i32.const 65536) (i32.const 255) (i32.sub (i32.mul (memory.size) (i32.const 65536)) (i32.const 65536))))

;;# memory grows by four gigabytes at once
;; exit: 0|3
(func $main (drop (memory.grow (i32.const 65535))))

;;# the first memory is larger than the limit
;; exit: 1|2|3
(memory (export "memory") 4096)
(func $main)

;;# a table grows until it is refused
;; exit: 0|3
(table $table 1 funcref)
(func $main (loop $again (br_if $again (i32.ne (table.grow $table (ref.null func) (i32.const 1000)) (i32.const -1)))))

;;# the first table has ten million places
;; exit: 0|1|2|3
(table 10000000 funcref)
(func $main)

;;# a hundred tables of a hundred thousand places
;; exit: 0|1|2|3
(table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref)
(table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref)
(table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref)
(table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref)
(table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref)
(table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref)
(table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref)
(table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref)
(table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref) (table 100000 funcref)
(func $main)

;;# calls nest without end
;; exit: 1
;; stderr: stack
(func $main (call $main))

;;# calls through a table nest without end, with many locals
;; exit: 1
;; stderr: stack
(table 1 funcref) (elem (i32.const 0) $main)
(type $none (func))
(func $main (local i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 v128 v128 v128 v128) (call_indirect (type $none) (i32.const 0)))

;;# a loop that never ends
;; exit: 3
;; flags: --timeout 1s
(func $main (loop $again (br $again)))

;;# calls in tail position without end
;; exit: 2|3
;; flags: --timeout 1s
(func $main (return_call $main))

;;# the start function never ends
;; exit: 3
;; flags: --timeout 1s
(start $forever)
(func $forever (loop $again (br $again)))
(func $main)

;;# the start function takes all memory
;; exit: 0|1|2|3
(start $grow)
(func $grow (loop $again (br_if $again (i32.ne (memory.grow (i32.const 10)) (i32.const -1)))) (memory.fill (i32.const 0) (i32.const 1) (i32.mul (memory.size) (i32.const 65536))))
(func $main)

;;# the start function traps
;; exit: 1|2
(start $trap)
(func $trap unreachable)
(func $main)

;;# the start function calls the host
;; exit: 0|1|2
(import "ghost:g/store@0.1.0" "put" (func $put (param i32 i32 i32 i32 i32 i32 i32)))
(data (i32.const 2048) "1")
(start $early)
(func $early (call $put (i32.const 2048) (i32.const 1) (i32.const 2048) (i32.const 1) (i32.const 2048) (i32.const 1) (i32.const 4096)))
(func $main)

;;# the allocator never returns
;; exit: 3
;; flags: --timeout 1s
;; arguments: a
(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (loop $again (br $again)) (i32.const 0))
(func $main)

;;# the allocator gives memory that does not exist
;; exit: 1
;; arguments: a b c
(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const -8))
(func $main)

;;# the allocator gives memory that is not aligned
;; exit: 1
;; arguments: a b c
(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 4097))
(func $main)

;;# the allocator gives the same memory for everything
;; exit: 0|1
;; arguments: aaaa bbbb cccc
(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
(func $main)

;;# the allocator calls the host
;; exit: 1
;; arguments: a
(import "ghost:g/console@0.1.0" "write" (func $write (param i32 i32 i32)))
(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (call $write (i32.const 1) (i32.const 2048) (i32.const 1)) (i32.const 4096))
(func $main)

;;# the end of the call never ends
;; exit: 0|3
;; flags: --timeout 1s
(func (export "cabi_post_run") (param i32) (loop $again (br $again)))
(func $main)

;;# the end of the call calls the host
;; exit: 0|1
(import "ghost:g/console@0.1.0" "write" (func $write (param i32 i32 i32)))
(func (export "cabi_post_run") (param i32) (call $write (i32.const 1) (i32.const 2048) (i32.const 1)))
(func $main)

;;# the answer lies beyond the memory
;; exit: 1
(func (export "run") (param i32 i32) (result i32) (i32.const -4))

;;# the answer is not aligned
;; exit: 1
(func (export "run") (param i32 i32) (result i32) (i32.const 1025))

;;# the answer has a discriminant that does not exist
;; exit: 1
(data (i32.const 1024) "\09")
(func (export "run") (param i32 i32) (result i32) (i32.const 1024))

;;# the answer is no JSON
;; exit: 1
;; stdout:
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\08\00\00\05\00\00\00")
(data (i32.const 2048) "{a:1}")
(func (export "run") (param i32 i32) (result i32) (i32.const 1024))

;;# the answer is not UTF-8
;; exit: 1
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\08\00\00\03\00\00\00")
(data (i32.const 2048) "\22\ff\22")
(func (export "run") (param i32 i32) (result i32) (i32.const 1024))

;;# the answer is JSON over several lines, with bytes a terminal obeys
;; exit: 0|1
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\08\00\00\0a\00\00\00")
(data (i32.const 2048) "[1,\0a\0a\0d\0a2]  ")
(func (export "run") (param i32 i32) (result i32) (i32.const 1024))

;;# the answer is two gigabytes of memory that is not there
;; exit: 1
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\08\00\00\ff\ff\ff\7f")
(func (export "run") (param i32 i32) (result i32) (i32.const 1024))

;;# the answer is 60 MB of digits
;; flags: --timeout 10s
;; exit: 0|1|3
(data (i32.const 1024) "\00\00\00\00\01\00\00\00\00\10\00\00\00\87\93\03")
(func (export "run") (param i32 i32) (result i32) (drop (memory.grow (i32.const 950))) (memory.fill (i32.const 4096) (i32.const 0x31) (i32.const 60000000)) (i32.const 1024))

;;# the failure says that a limit was reached
;; exit: 3
(data (i32.const 1024) "\01\00\00\00\03\00\00\00")
(func (export "run") (param i32 i32) (result i32) (i32.const 1024))

;;# the failure says that there is no main
;; exit: 1|2
(data (i32.const 1024) "\01\00\00\00\00\00\00\00")
(func (export "run") (param i32 i32) (result i32) (i32.const 1024))

;;# the failure is an exception with four billion frames
;; exit: 1
(data (i32.const 1024) "\01\00\00\00\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\08\00\00\01\00\00\00\00\08\00\00\ff\ff\ff\ff\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
(func (export "run") (param i32 i32) (result i32) (i32.const 1024))

;;# the failure is an exception with a million frames of nothing
;; exit: 1|3
;; stderr KiB: 20000
(data (i32.const 1024) "\01\00\00\00\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\08\00\00\01\00\00\00\00\00\02\00\40\42\0f\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
(func (export "run") (param i32 i32) (result i32) (drop (memory.grow (i32.const 900))) (i32.const 1024))

;;# the failure is an exception with a message of 30 MB for an MCP client
;; flags: --origin mcp --max-memory 64M
;; stderr KiB: 24
;; exit: 1
(data (i32.const 1024) "\01\00\00\00\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\02\00\80\c3\c9\01\00\00\02\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
(func (export "run") (param i32 i32) (result i32) (drop (memory.grow (i32.const 900))) (memory.fill (i32.const 131072) (i32.const 0x61) (i32.const 30000000)) (i32.const 1024))

;;# code that is unreachable is reached, and the error names it
;; exit: 1
;; stderr: unreachable
(func $main unreachable)

;;# a division by zero is named
;; exit: 1
;; stderr: divi
(func $main (drop (i32.div_s (i32.const 1) (i32.const 0))))

;;# memory out of bounds is named
;; exit: 1
;; stderr: out of bounds
(func $main (drop (i32.load (i32.const -4))))

;;# a call through a table of the wrong type is named
;; exit: 1
(table 2 funcref) (elem (i32.const 0) $other)
(type $wrong (func (param i64)))
(func $other)
(func $main (call_indirect (type $wrong) (i64.const 1) (i32.const 0)))

;;# a table is read out of bounds
;; exit: 1
(table 2 funcref)
(type $none (func))
(func $main (call_indirect (type $none) (i32.const 99)))

;;# names of functions in a trap are forged with control characters
;; exit: 1
(func $main (call $"\1b[2J\e2\80\aeforged"))
(func $"\1b[2J\e2\80\aeforged" unreachable)

;;# shared memory, and a wait on it that never ends
;; exit: 2|3
(memory (export "memory") 2 2 shared)
(func $main (drop (memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const -1))))

;;# a memory of 64 bits
;; exit: 2
(component (core module (memory i64 1)))

;;# a component without anything in it
;; exit: 2
(component)

;;# a component whose run takes nothing and gives nothing
;; exit: 2
(component (core module $m (func (export "run"))) (core instance $i (instantiate $m)) (func (export "run") (canon lift (core func $i "run"))))

;;# a component that exports an instance as run
;; exit: 2
(component (instance $i) (export "run" (instance $i)))

;;# a component that imports itself under the name of its export
;; exit: 2
(component (import "run" (func $run)) (export "run" (func $run)))

;;# a component that imports what has the shape of run
;; exit: 2
(component (import "ghost:g/program@0.1.0" (instance (export "bytecode" (func (result (list u8)))))))

;;# a core module instead of a component
;; exit: 2
(module (func (export "run")) (memory (export "memory") 1))

;;# the engine's own interface is imported
;; exit: 2
(component (import "ghost:g/program@0.1.0" (instance $p (export "bytecode" (func (result (list u8)))))) (core module $m (func (export "run"))) (core instance $i (instantiate $m)) (func (export "run") (canon lift (core func $i "run"))))
