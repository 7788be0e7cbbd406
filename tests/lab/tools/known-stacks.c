/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * known-stacks: works for ever in a function that is called in ways which are
 * hard to walk, each of them by a chain that is known.  Compiled with -O2, and
 * so without frame pointers:
 *
 *   known_leaf <- known_plain <- main
 *   known_leaf <- known_alloca <- main
 *   known_leaf <- known_compare <- qsort's <- known_sort <- main
 *   known_leaf <- known_realigned <- main
 *   known_leaf <- known_deep, 30 times <- main
 *   known_hidden <- known_red_zone <- main
 *   known_inner (inlined) <- known_outer (inlined) <- known_inlining <- main
 *   the kernel's getrandom() <- known_call <- known_calls <- main
 *
 * On SIGUSR1 it prints its own account: microseconds of CPU time that it was in
 * each function that main calls, a line for each, and "." at the end.
 *
 * main has a secret on its stack, XP-USER-SECRET and more, which is in no file.
 */
#include <alloca.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

static volatile unsigned long sum;
/* No compiler makes a copy of known_deep() for a number that it cannot know. */
static volatile unsigned int depth = 30;

#define KNOWN __attribute__((noinline))

/* A leaf of its own: nothing of its frame lies on the stack. */
KNOWN static void known_leaf(void)
{
    for ( unsigned long i = 0; i < 2000000; i++ )
        sum += i;
}

/* What is done after the call keeps it from being a jump. */
#define DONE() (sum++)

KNOWN static void known_plain(void)
{
    known_leaf();
    DONE();
}

KNOWN static void known_alloca(size_t bytes)
{
    char *piece = alloca(bytes);

    memset(piece, 1, bytes);
    known_leaf();
    sum += (unsigned long)piece[bytes / 2];
}

KNOWN static void known_realigned(void)
{
    volatile char piece[256] __attribute__((aligned(64)));

    memset((char *)piece, 2, sizeof(piece));
    known_leaf();
    sum += (unsigned long)piece[7];
}

KNOWN static int known_compare(const void *a, const void *b)
{
    known_leaf();
    return *(const int *)a - *(const int *)b;
}

KNOWN static void known_sort(void)
{
    int numbers[] = {3, 1, 2};

    qsort(numbers, 3, sizeof(numbers[0]), known_compare);
    sum += (unsigned long)numbers[0];
}

KNOWN static void known_deep(unsigned int more)
{
    if ( more > 1 )
        known_deep(more - 1);
    else
        known_leaf();
    DONE();
}

/*
 * As assembly of OpenSSL's does: below a realigned stack, and below the stack
 * pointer, lies what it was; its unwind information says that the caller's
 * frame is at *(rsp - 8) + 8.
 */
void known_hidden(void);
asm(".text\n"
    ".type known_hidden, @function\n"
    "known_hidden:\n"
    ".cfi_startproc\n"
    "    mov %rsp, %rax\n"
    ".cfi_def_cfa_register %rax\n"
    "    sub $256, %rsp\n"
    "    and $-64, %rsp\n"
    "    mov %rax, -8(%rsp)\n"
    ".cfi_escape 0x0f, 5, 0x77, 0x78, 0x06, 0x23, 8\n"
    "    xor %eax, %eax\n"
    "    mov $4000000, %ecx\n"
    "1:  sub $1, %ecx\n"
    "    jnz 1b\n"
    "    mov -8(%rsp), %rsp\n"
    ".cfi_def_cfa %rsp, 8\n"
    "    ret\n"
    ".cfi_endproc\n"
    ".size known_hidden, . - known_hidden\n");

KNOWN static void known_red_zone(void)
{
    known_hidden();
    DONE();
}

#define INLINED __attribute__((always_inline))

/* Calls that are none; only debug information knows of them. */
INLINED static inline void known_inner(void)
{
    for ( unsigned long i = 0; i < 2000000; i++ )
        sum += i;
}

INLINED static inline void known_outer(void)
{
    known_inner();
    DONE();
}

KNOWN static void known_inlining(void)
{
    known_outer();
    DONE();
}

/* The kernel works for about as long as each of the others does. */
KNOWN static long known_call(char *bytes, size_t size)
{
    long got = SYS_getrandom;

    asm volatile("syscall"
                 : "+a"(got)
                 : "D"(bytes), "S"(size), "d"(0)
                 : "rcx", "r11", "memory");
    return got;
}

KNOWN static void known_calls(void)
{
    static char bytes[65536];

    for ( int i = 0; i < 4; i++ )
        sum += (unsigned long)known_call(bytes, sizeof(bytes));
}

/* The account -------------------------------------------------------------- */

/* In the order of main's calls. */
static const char *const names[] = {
    "known_plain", "known_alloca",   "known_realigned", "known_sort",
    "known_deep",  "known_red_zone", "known_inlining",  "known_calls"};
#define NAMES (sizeof(names) / sizeof(names[0]))

static unsigned long long account[NAMES], last;
static volatile sig_atomic_t asked;

static void note(int number)
{
    (void)number;
    asked = 1;
}

static unsigned long long now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (unsigned long long)time.tv_sec * 1000000000ull +
           (unsigned long long)time.tv_nsec;
}

/* All that was done since the last call was done by this function. */
static void did(unsigned int which)
{
    unsigned long long time = now();

    account[which] += time - last;
    last = time;
}

static void print_account(void)
{
    for ( unsigned int i = 0; i < NAMES; i++ )
        printf("%s %llu\n", names[i], account[i] / 1000);
    printf(".\n");
    fflush(stdout);
    asked = 0;
    last = now();
}

#define SECRET 32u

/* The file has it backwards. */
static void put_secret(volatile char *to)
{
    static const volatile char backwards[] = "i-wonk-yam-ydobo"
                                             "n-TERCES-RESU-PX";

    for ( size_t i = 0; i < SECRET; i++ )
        to[i] = backwards[SECRET - 1 - i];
}

int main(void)
{
    volatile char secret[SECRET];

    put_secret(secret);
    signal(SIGUSR1, note);
    last = now();
    for ( unsigned int turn = 0;; turn++ )
    {
        known_plain();
        did(0);
        known_alloca(100 + turn % 500);
        did(1);
        known_realigned();
        did(2);
        known_sort();
        did(3);
        known_deep(depth);
        did(4);
        known_red_zone();
        did(5);
        known_inlining();
        did(6);
        known_calls();
        did(7);
        if ( asked )
            print_account();
        sum += (unsigned long)secret[turn % SECRET];
    }
}
