/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A loop of known length on each of two vCPUs, timed at a low and at a high
 * rate of sampling in turn, for bench/lab-cost.sh.  Runs in dom0 of the lab,
 * where a TSC tick is a number of instructions.  Both are busy, so that each
 * pCPU ticks for the other and no pCPU has to wake up for it.
 *
 *   spin LOW HIGH TURNS TICKS    prints, for each turn: rounds and samples at
 *                                the low rate, and the same at the high one
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

static volatile uint64_t *others; /* rounds of the other vCPU */

static void door(const char *line)
{
    char command[300];

    snprintf(command, sizeof(command),
             "xenhypfs write /xenoprof/command '%s' >/dev/null", line);
    if ( system(command) )
    {
        fprintf(stderr, "spin: the door refused: %s\n", line);
        exit(1);
    }
}

static unsigned long made(void)
{
    FILE *status = popen("xenhypfs cat /xenoprof/status", "r");
    char line[256];
    unsigned long ret = 0;

    while ( status && fgets(line, sizeof(line), status) )
        if ( !strncmp(line, "made: ", 6) )
            ret = strtoul(line + 6, NULL, 10);
    if ( status )
        pclose(status);
    return ret;
}

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

static uint64_t rounds_in(uint64_t ticks)
{
    uint64_t before = *others, rounds = 0, end = __rdtsc() + ticks;

    for ( ; __rdtsc() < end; rounds += 1000 )
        thousand_rounds();
    return rounds + *others - before;
}

static void measure(const char *hz, uint64_t ticks)
{
    char reserve[200];
    unsigned long before;
    uint64_t rounds;

    snprintf(reserve, sizeof(reserve),
             "reserve sampler=nmi frequency=%s mask=3 pages=256 queue=256 "
             "lease=0 budget=0",
             hz);
    door(reserve);
    door("domain id=0 vcpus=2 uuid=00000000000000000000000000000000 "
         "kind=passive");
    door("start");
    before = made();
    rounds = rounds_in(ticks);
    printf("%lu %lu ", (unsigned long)rounds, made() - before);
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
        measure(argv[1], ticks);
        measure(argv[2], ticks);
        puts("");
        fflush(stdout);
    }
    kill(other, SIGKILL);
    return 0;
}
