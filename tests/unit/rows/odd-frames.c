/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames that are hard to walk: test-user-walk-steps.c compiles this with -O2
 * and no frame pointers, and follows it instruction by instruction from the
 * first breakpoint to the second.  SIGUSR1 comes at any of them.
 */
#include <alloca.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define BREAKPOINT() __asm__ volatile("int3")

static volatile double number;
static volatile int calls;

/* Computes, and calls nobody: its frame is empty. */
__attribute__((noinline)) static void leaf(void)
{
    for ( int i = 0; i < 12; i++ )
        number += i * 0.5;
    calls++;
}

__attribute__((noinline)) static void with_alloca(int bytes)
{
    char *piece = alloca(bytes);

    memset(piece, bytes, bytes);
    leaf();
    calls += piece[bytes / 2];
}

/* A stack that is realigned, and of a size that is not known. */
__attribute__((noinline)) static void realigned(int bytes)
{
    char aligned[128] __attribute__((aligned(64)));
    char variable[bytes];

    memset(aligned, bytes, sizeof(aligned));
    memset(variable, 1, bytes);
    leaf();
    calls += aligned[bytes & 127] + variable[bytes / 2];
}

__attribute__((noinline)) static int recurse(int depth)
{
    int below;

    if ( !depth )
    {
        leaf();
        return 1;
    }
    below = recurse(depth - 1) + 1;
    calls += below;
    return below;
}

static int compare(const void *left, const void *right)
{
    leaf();
    return *(const int *)left - *(const int *)right;
}

/* Through the C library, and back. */
__attribute__((noinline)) static void sort(void)
{
    int items[] = {5, 2, 4, 1, 3, 0};

    qsort(items, sizeof(items) / sizeof(items[0]), sizeof(items[0]), compare);
    calls += items[0];
}

/* Needs all registers, so its epilogue restores them all. */
__attribute__((noinline)) static long many_registers(long a, long b, long c)
{
    long d = a * b, e = b * c, f = a * c, g = d + e, h = e + f;

    leaf();
    a += d;
    leaf();
    return a + b + c + d * e + f * g + h;
}

static void handler(int signal)
{
    (void)signal;
    leaf();
    recurse(2);
}

int main(int argc, char **argv)
{
    (void)argv;
    signal(SIGUSR1, handler);
    BREAKPOINT();
    for ( int i = 0; i < 2; i++ )
    {
        with_alloca(100 + argc * 77);
        realigned(200 + argc * 31);
        recurse(12);
        sort();
        calls += (int)many_registers(argc, i, calls);
        free(malloc(calls & 0xff));
    }
    BREAKPOINT();
    return 0;
}
