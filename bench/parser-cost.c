/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parser-cost [ROUNDS]: system calls and CPU time of xenoprofd and its parser
 * processes for each guest stack of twelve frames, from a window of 6 KiB: one
 * guest with 500 samples a round, and 200 guests with 2.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/clock.h"
#include "parser-ways.h"
#include "tests/unit/guest/linux/kernel-kit.h"

#define CHAINS 64u /* that are different */
#define FRAMES 12u
#define WINDOW 6144u
#define STACK  0xffffc90000100000ull

static struct fake_kernel fake;
static uint64_t words[WINDOW / 8];
static struct counted_calls *counted; /* shared with all processes */

void cost_must(bool condition, const char *what)
{
    if ( condition )
        return;
    fprintf(stderr, "parser-cost: %s\n", what);
    exit(1);
}

uint64_t cost_address(void)
{
    return fake_function(&fake, 100);
}

size_t cost_read(uint64_t address, void *to, size_t size)
{
    return fake.memory.read(fake.memory.self, address, to, size);
}

static uint32_t function_of(unsigned int chain, unsigned int frame)
{
    return 1000 + 131 * frame + 7 * chain;
}

/* As the kit's rows say: two functions share one, and the return address lies
 * so many words up the stack. */
void cost_stack(unsigned int number, struct unwind_start *ret)
{
    static const struct xenoprof_registers registers = {.rsp = STACK};
    unsigned int chain = number % CHAINS, at = 0;

    for ( unsigned int frame = 0; frame < FRAMES; frame++ )
    {
        at += function_of(chain, frame) / 2 % 5;
        words[at++] = frame == FRAMES - 1
                          ? 0
                          : fake_function(&fake,
                                          function_of(chain, frame + 1)) +
                                5;
    }
    *ret = (struct unwind_start){
        .ip = fake_function(&fake, function_of(chain, 0)) + 3,
        .registers = &registers,
        .windows = {{STACK, (const uint8_t *)words, sizeof(words)}},
        .kernel = true,
    };
}

void cost_check(const struct unwind_result *frames)
{
    cost_must(frames->count == FRAMES, "a stack was not walked to its end");
}

static void measure(const struct cost_way *way, unsigned int guests,
                    unsigned int samples, unsigned int rounds)
{
    double all = (double)guests * samples * rounds;
    uint64_t self, others;

    way->begin(guests);
    for ( unsigned int i = 0; i < CHAINS; i++ ) /* names, once */
        way->round(i, guests, samples);
    *counted = (struct counted_calls){0};
    others = way->cpu();
    self = clock_read(CLOCK_PROCESS_CPUTIME_ID);
    for ( unsigned int i = 0; i < rounds; i++ )
        way->round(i, guests, samples);
    self = clock_read(CLOCK_PROCESS_CPUTIME_ID) - self;
    others = way->cpu() - others;
    printf("%-10s %6u %8u %10.3f %8.3f %9.2f %9.2f %9.2f\n", way->name, guests,
           samples, (double)counted->calls / all, (double)counted->clocks / all,
           (double)self / all / 1000, (double)others / all / 1000,
           (double)(self + others) / all / 1000);
    fflush(stdout);
    way->end();
}

int main(int argc, char **argv)
{
    const struct fake_form form = {.modules = 20};
    unsigned int rounds = argc > 1 ? (unsigned int)atoi(argv[1]) : 100;

    counted = mmap(NULL, sizeof(*counted), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cost_must(rounds > 0 && counted != MAP_FAILED, "usage: [ROUNDS]");
    fake_kernel_open(&fake, &form);
    printf(
        "for each stack                                      microseconds of "
        "CPU\n%-10s %6s %8s %10s %8s %9s %9s %9s\n",
        "way", "guests", "samples", "calls", "clocks", "xenoprofd", "parsers",
        "both");
    measure(&cost_of_batches, 1, 500, rounds);
    measure(&cost_of_batches, 200, 2, rounds);
    fake_kernel_close(&fake);
    return 0;
}

/* In the place of the C library's functions (build-aux/sources.table). */
#define COUNTED(result, name, takes, gives)                                    \
    result __real_##name takes;                                                \
    result __wrap_##name takes;                                                \
    result __wrap_##name takes                                                 \
    {                                                                          \
        __atomic_fetch_add(&counted->calls, 1, __ATOMIC_RELAXED);              \
        return __real_##name gives;                                            \
    }

struct pollfd;
struct msghdr;

COUNTED(ssize_t, read, (int file, void *to, size_t size), (file, to, size))
COUNTED(ssize_t, write, (int file, const void *from, size_t size),
        (file, from, size))
COUNTED(int, poll, (struct pollfd * files, unsigned long count, int ms),
        (files, count, ms))
COUNTED(ssize_t, send, (int file, const void *from, size_t size, int flags),
        (file, from, size, flags))
COUNTED(ssize_t, recvmsg, (int file, struct msghdr *message, int flags),
        (file, message, flags))
COUNTED(int, mlock2, (const void *from, size_t size, unsigned int flags),
        (from, size, flags))
COUNTED(int, madvise, (void *from, size_t size, int advice),
        (from, size, advice))

int __real_clock_gettime(clockid_t id, struct timespec *ret);
int __wrap_clock_gettime(clockid_t id, struct timespec *ret);
int __wrap_clock_gettime(clockid_t id, struct timespec *ret)
{
    if ( id == CLOCK_MONOTONIC )
        __atomic_fetch_add(&counted->clocks, 1, __ATOMIC_RELAXED);
    else
        __atomic_fetch_add(&counted->calls, 1, __ATOMIC_RELAXED);
    return __real_clock_gettime(id, ret);
}
