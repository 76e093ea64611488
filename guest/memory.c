/* memcpy, memmove and memset for the engine. wasi-libc copies unaligned memory by shifting words, although WebAssembly
   reads and writes at any address; and memory.copy is a call out of the sandbox, too slow for the short copies that an
   interpreter makes. Here short copies are a few reads and writes, and only long ones use memory.copy.

   Compiled with -fno-builtin: a loop that copies must not become a call of memcpy. */
#include <stddef.h>
#include <stdint.h>
#include <wasm_simd128.h>

/* From this length on, memory.copy and memory.fill are faster, in bytes. */
#define LONG 512

#define LOAD(type, from) (((const struct { type value; } __attribute__((packed, may_alias)) *)(from))->value)
#define STORE(type, to, content) (((struct { type value; } __attribute__((packed, may_alias)) *)(to))->value = (content))

/* Copies up to 16 bytes. Reads everything before it writes, so the memory may overlap. */
static inline void copy_short(char *to, const char *from, size_t length)
{
    if (length >= 8) {
        uint64_t first = LOAD(uint64_t, from), last = LOAD(uint64_t, from + length - 8);
        STORE(uint64_t, to, first);
        STORE(uint64_t, to + length - 8, last);
    } else if (length >= 4) {
        uint32_t first = LOAD(uint32_t, from), last = LOAD(uint32_t, from + length - 4);
        STORE(uint32_t, to, first);
        STORE(uint32_t, to + length - 4, last);
    } else if (length) {
        char first = from[0], middle = from[length / 2], last = from[length - 1];
        to[0] = first;
        to[length / 2] = middle;
        to[length - 1] = last;
    }
}

/* Copies from the front: right for memory that does not overlap, or where `to` is before `from`. */
static inline void copy_forward(char *to, const char *from, size_t length)
{
    v128_t last = wasm_v128_load(from + length - 16);
    char *end = to + length - 16;
    for (; to < end; to += 16, from += 16)
        wasm_v128_store(to, wasm_v128_load(from));
    wasm_v128_store(end, last);
}

/* Copies from the back: right where `to` is after `from`. */
static inline void copy_backward(char *to, const char *from, size_t length)
{
    v128_t first = wasm_v128_load(from);
    for (size_t at = length - 16; (ptrdiff_t)at > 0; at -= 16)
        wasm_v128_store(to + at, wasm_v128_load(from + at));
    wasm_v128_store(to, first);
}

void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
    if (length <= 16)
        copy_short(to, from, length);
    else if (length < LONG)
        copy_forward(to, from, length);
    else
        __builtin_memcpy(to, from, length);
    return to;
}

void *memmove(void *to, const void *from, size_t length)
{
    if (length <= 16)
        copy_short(to, from, length);
    else if (length >= LONG)
        __builtin_memmove(to, from, length);
    else if ((uintptr_t)to - (uintptr_t)from >= length)
        copy_forward(to, from, length);
    else
        copy_backward(to, from, length);
    return to;
}

void *memset(void *to, int byte, size_t length)
{
    char *bytes = to;
    if (length >= LONG) {
        __builtin_memset(to, byte, length);
    } else if (length >= 16) {
        v128_t filled = wasm_i8x16_splat((char)byte);
        for (size_t at = 0; at < length - 16; at += 16)
            wasm_v128_store(bytes + at, filled);
        wasm_v128_store(bytes + length - 16, filled);
    } else {
        for (size_t at = 0; at < length; at++)
            bytes[at] = (char)byte;
    }
    return to;
}
