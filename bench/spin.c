/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A loop of known length on each of two vCPUs, timed with sampling off and on
 * in turn, for bench/lab-cost.sh.  Runs in dom0 of the lab, where a TSC tick
 * is a number of instructions.  Both are busy, so that each pCPU ticks for the
 * other and no pCPU has to wake up for it.
 *
 *   spin HZ MASK TURNS TICKS     prints, for each turn: rounds and TSC ticks
 *                                with sampling off; rounds, TSC ticks and
 *                                samples with sampling on
 *
 * It prints ticks because an interval may last longer than it should: the
 * emulator gives its pCPUs turns, which are long without interrupts.
 */
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

#include "lab-door.h"

static volatile uint64_t *others; /* rounds of the other vCPU */

/* Four instructions a round. */
static void thousand_rounds(void)
{
    uint64_t n = 1000;

    asm volatile("1: nop; nop; dec %0; jnz 1b" : "+r"(n));
}

static void stay_on(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof(set), &set);
}

static pid_t start_other(void)
{
    pid_t pid;

    others = mmap(NULL, sizeof(*others), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid = others == MAP_FAILED ? -1 : fork();
    if ( pid )
        return pid;
    for ( stay_on(1);; *others += 1000 )
        thousand_rounds();
}

/* Runs for at least so many ticks, and says how far both loops came. */
static void tell_rounds(uint64_t ticks)
{
    uint64_t before = *others, rounds = 0, start = __rdtsc(), now;

    for ( ; (now = __rdtsc()) - start < ticks; rounds += 1000 )
        thousand_rounds();
    printf("%lu %lu ", (unsigned long)(rounds + *others - before),
           (unsigned long)(now - start));
}

static void tell_sampled(const char *hz, const char *mask, uint64_t ticks)
{
    char reserve[200];
    unsigned long before;

    snprintf(reserve, sizeof(reserve),
             "reserve sampler=nmi frequency=%s mask=%s pages=256 queue=256 "
             "lease=0 budget=0",
             hz, mask);
    door(reserve);
    door("domain id=0 vcpus=2 uuid=00000000000000000000000000000000 "
         "kind=passive");
    door("start");
    before = door_made();
    tell_rounds(ticks);
    printf("%lu\n", door_made() - before);
    fflush(stdout);
    door("stop");
    door("reset");
}

int main(int argc, char **argv)
{
    uint64_t ticks;
    pid_t other;

    if ( argc != 5 )
        return 2;
    stay_on(0);
    other = start_other();
    if ( other < 0 )
        return 1;
    ticks = strtoull(argv[4], NULL, 10);
    for ( int turn = atoi(argv[3]); turn > 0; turn-- )
    {
        tell_rounds(ticks);
        tell_sampled(argv[1], argv[2], ticks);
    }
    kill(other, SIGKILL);
    return 0;
}
