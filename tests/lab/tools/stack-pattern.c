/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack-pattern BYTES: works for ever, with BYTES of known stack above the
 * stack pointer and nothing above those.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "lab/test-kernel/stack-word.h"

#define PAGES 8u
#define SIZE  (PAGES * 4096ul)
/* Nothing is mapped around it. */
#define PLACE ((void *)0x600000000000ul)

static void work_at(uint64_t sp) __attribute__((noreturn));
static void work_at(uint64_t sp)
{
    asm volatile("mov %0, %%rsp\n"
                 "1: pause\n"
                 "jmp 1b"
                 :
                 : "r"(sp)
                 : "memory");
    __builtin_unreachable();
}

int main(int argc, char **argv)
{
    unsigned long bytes = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    uint64_t *words = mmap(PLACE, SIZE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                           -1, 0);

    if ( words == MAP_FAILED || !bytes || bytes > SIZE || bytes % 8 )
    {
        fprintf(stderr, "stack-pattern: wants a multiple of 8, up to %lu\n",
                SIZE);
        return 1;
    }
    for ( unsigned int i = 0; i < SIZE / 8; i++ )
        words[i] = stack_word((uintptr_t)(words + i));
    work_at((uintptr_t)words + SIZE - bytes);
}
