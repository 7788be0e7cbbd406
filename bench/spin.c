/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A loop of known length on each vCPU, timed with sampling off and on in turn,
 * for bench/lab-cost.sh.  Runs in dom0 of the lab, where a TSC tick is a number
 * of instructions.  All are busy, so that no pCPU has to wake up for a tick.
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
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

#include "lab-door.h"

#define VCPUS_MAX 64

static long vcpus;
static volatile uint64_t *others; /* rounds of each other vCPU */
static pid_t children[VCPUS_MAX];

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

static bool start_others(void)
{
    others = mmap(NULL, VCPUS_MAX * sizeof(*others), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for ( long cpu = 1; cpu < vcpus; cpu++ )
    {
        pid_t pid = others == MAP_FAILED ? -1 : fork();

        if ( pid < 0 )
            return false;
        children[cpu] = pid;
        if ( pid )
            continue;
        for ( stay_on(cpu);; others[cpu] += 1000 )
            thousand_rounds();
    }
    return true;
}

static uint64_t rounds_of_others(void)
{
    uint64_t sum = 0;

    for ( long cpu = 1; cpu < vcpus; cpu++ )
        sum += others[cpu];
    return sum;
}

/* Runs for at least so many ticks, and says how far all loops came. */
static void say_rounds(uint64_t ticks)
{
    uint64_t before = rounds_of_others(), rounds = 0;
    uint64_t start = __rdtsc(), now;

    for ( ; (now = __rdtsc()) - start < ticks; rounds += 1000 )
        thousand_rounds();
    printf("%lu %lu ", (unsigned long)(rounds + rounds_of_others() - before),
           (unsigned long)(now - start));
}

static void say_sampled(const char *hz, const char *mask, uint64_t ticks)
{
    char reserve[200], domain[100];
    unsigned long before;

    snprintf(reserve, sizeof(reserve),
             "reserve sampler=nmi frequency=%s mask=%s pages=256 queue=256 "
             "lease=0 budget=0",
             hz, mask);
    door(reserve);
    snprintf(domain, sizeof(domain),
             "domain id=0 vcpus=%ld uuid=00000000000000000000000000000000 "
             "kind=passive",
             vcpus);
    door(domain);
    door("start");
    before = door_made();
    say_rounds(ticks);
    printf("%lu\n", door_made() - before);
    fflush(stdout);
    door("stop");
    door("reset");
}

int main(int argc, char **argv)
{
    uint64_t ticks;

    if ( argc != 5 )
        return 2;
    stay_on(0);
    vcpus = sysconf(_SC_NPROCESSORS_ONLN);
    if ( vcpus > VCPUS_MAX || !start_others() )
        return 1;
    ticks = strtoull(argv[4], NULL, 10);
    for ( int turn = atoi(argv[3]); turn > 0; turn-- )
    {
        say_rounds(ticks);
        say_sampled(argv[1], argv[2], ticks);
    }
    for ( long cpu = 1; cpu < vcpus; cpu++ )
        kill(children[cpu], SIGKILL);
    return 0;
}
