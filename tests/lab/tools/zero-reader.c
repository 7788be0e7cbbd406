/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zero-reader: a guest's process that reads /dev/zero for ever, with a secret
 * in its registers, so that the secret is always on its kernel's stack.
 *
 * Needs nothing in the guest: no library, no loader.
 */
#include <fcntl.h>
#include <sys/syscall.h>

#define SECRET 0x5445524345535058ul /* "XPSECRET" */

static char buffer[1 << 20]; /* so much that most of its time is spent there */

static long call(long number, long a, const void *b, long c)
{
    long result;

    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), "d"(c)
                 : "rcx", "r11", "memory");
    return result;
}

/* Registers that a system call leaves alone, and so are saved. */
static void read_for_ever(long fd)
{
    asm volatile("mov %[secret], %%rbx\n\t"
                 "mov %%rbx, %%r12\n\t"
                 "mov %%rbx, %%r13\n\t"
                 "mov %%rbx, %%r14\n\t"
                 "mov %%rbx, %%r15\n\t"
                 "mov %[fd], %%r8\n\t"
                 "1: mov %%r8, %%rdi\n\t"
                 "lea %[buffer], %%rsi\n\t"
                 "mov %[size], %%edx\n\t"
                 "mov %[read], %%eax\n\t"
                 "syscall\n\t"
                 "jmp 1b"
                 :
                 : [secret] "i"(SECRET), [fd] "D"(fd), [buffer] "m"(buffer),
                   [size] "i"(sizeof(buffer)), [read] "i"(SYS_read)
                 : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r11", "r12", "r13",
                   "r14", "r15", "memory");
}

void _start(void);

void _start(void)
{
    read_for_ever(call(SYS_open, (long)"/dev/zero", (void *)O_RDONLY, 0));
}
