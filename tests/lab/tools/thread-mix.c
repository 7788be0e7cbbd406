/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread-mix: threads and processes of a guest that compute at addresses which
 * say who they are, for ever.
 *
 * A thread's number modulo 4096 is the number of the loop that it computes in:
 * they are 16 bytes apart, from 0x7000000000 on.  20 threads hand over to each
 * other each millisecond; a process of their own makes children that live 5 ms.
 *
 * All loops are written once, before there is a second process.  With a page of
 * its own for each, which the kernel took back with the process, QEMU 7.2 broke
 * the flags of a guest whose kernel then used such pages for data.
 *
 * Needs nothing in the guest: no library, no loader.
 */
#include <linux/sched.h>
#include <linux/time_types.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#define BASE       0x7000000000ul
#define LOOPS      4096ul
#define LOOP_BYTES 16ul
#define THREADS    20
#define STACK      16384
#define TURN_NS    1000000
#define LIFE_NS    5000000
#define PAUSE_NS   10000000
#define ITERATIONS 10000

/* mov %rdi, %rcx; 1: dec %rcx; jnz 1b; ret */
static const unsigned char loop_code[] = {0x48, 0x89, 0xf9, 0x48, 0xff,
                                          0xc9, 0x75, 0xfb, 0xc3};

static char stacks[THREADS][STACK] __attribute__((aligned(16)));
static int pipes[THREADS][2]; /* whoever reads from its own goes on */

static long call(long number, long a, long b, long c, long d)
{
    register long r10 asm("r10") = d;
    register long r8 asm("r8") = -1;
    register long r9 asm("r9") = 0;
    long result;

    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
                   "r"(r9)
                 : "rcx", "r11", "memory");
    return result;
}

static int64_t now(void)
{
    struct __kernel_timespec time;

    call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&time, 0, 0);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void compute(int64_t ns)
{
    unsigned long number = call(SYS_gettid, 0, 0, 0, 0) % LOOPS;
    int64_t end = now() + ns;

    while ( now() < end )
        ((void (*)(long))(BASE + number * LOOP_BYTES))(ITERATIONS);
}

__attribute__((noreturn)) static void take_turns(long self)
{
    char token;

    for ( ;; )
    {
        call(SYS_read, pipes[self][0], (long)&token, 1, 0);
        compute(TURN_NS);
        call(SYS_write, pipes[(self + 1) % THREADS][1], (long)&token, 1, 0);
    }
}

/* The new thread begins on its own stack with nothing but its number. */
static void start_thread(long self)
{
    const long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
                       CLONE_THREAD | CLONE_SYSVSEM;
    long *top = (long *)(void *)(stacks[self] + STACK - 8);
    long result;

    top[0] = self;
    asm volatile("xor %%r10d, %%r10d\n\t"
                 "xor %%r8d, %%r8d\n\t"
                 "syscall\n\t"
                 "test %%rax, %%rax\n\t"
                 "jnz 1f\n\t"
                 "pop %%rdi\n\t"
                 "call *%[turns]\n"
                 "1:"
                 : "=a"(result)
                 : "a"(SYS_clone), "D"(flags), "S"(top),
                   "d"(0), [turns] "b"(take_turns)
                 : "rcx", "r8", "r10", "r11", "memory");
}

__attribute__((noreturn)) static void make_children(void)
{
    const struct __kernel_timespec pause = {0, PAUSE_NS};

    for ( ;; )
    {
        if ( !call(SYS_fork, 0, 0, 0, 0) )
        {
            compute(LIFE_NS);
            call(SYS_exit_group, 0, 0, 0, 0);
        }
        call(SYS_wait4, -1, 0, 0, 0);
        call(SYS_nanosleep, (long)&pause, 0, 0, 0);
    }
}

static void write_loops(void)
{
    volatile unsigned char *code = (volatile unsigned char *)BASE;

    call(SYS_mmap, BASE, LOOPS * LOOP_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
         MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED);
    for ( unsigned long i = 0; i < LOOPS; i++ )
        for ( unsigned long byte = 0; byte < sizeof(loop_code); byte++ )
            code[i * LOOP_BYTES + byte] = loop_code[byte];
}

/* No call has left its address on the stack. */
__attribute__((force_align_arg_pointer)) void _start(void);

void _start(void)
{
    const char token = 0;

    write_loops();
    if ( !call(SYS_fork, 0, 0, 0, 0) )
        make_children();
    for ( long i = 0; i < THREADS; i++ )
        call(SYS_pipe, (long)pipes[i], 0, 0, 0);
    for ( long i = 1; i < THREADS; i++ )
        start_thread(i);
    call(SYS_write, pipes[0][1], (long)&token, 1, 0);
    take_turns(0);
}
