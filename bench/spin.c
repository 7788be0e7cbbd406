/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A loop of known length, timed with sampling on and off in turn, for
 * bench/lab-cost.sh.  Runs in dom0 of the lab, where a TSC tick is a number of
 * instructions.
 *
 *   spin HZ TURNS TICKS      prints, for each turn: loops off, loops on,
 *                            samples made while on
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

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

/* Four instructions a round, and rdtsc once in a thousand rounds. */
static uint64_t rounds_in(uint64_t ticks)
{
    uint64_t end = __rdtsc() + ticks, rounds = 0;

    while ( __rdtsc() < end )
    {
        uint64_t n = 1000;

        asm volatile("1: nop; nop; dec %0; jnz 1b" : "+r"(n));
        rounds += 1000;
    }
    return rounds;
}

int main(int argc, char **argv)
{
    char reserve[200];
    uint64_t ticks;

    if ( argc != 4 )
        return 2;
    ticks = strtoull(argv[3], NULL, 10);
    snprintf(reserve, sizeof(reserve),
             "reserve sampler=nmi frequency=%s mask=3 pages=256 queue=64 "
             "lease=0 budget=0",
             argv[1]);
    door(reserve);
    door("domain id=0 vcpus=2 uuid=00000000000000000000000000000000 "
         "kind=passive");
    for ( int turn = atoi(argv[2]); turn > 0; turn-- )
    {
        uint64_t off = rounds_in(ticks), on;
        unsigned long before, after;

        door("start");
        before = made();
        on = rounds_in(ticks);
        after = made();
        door("stop");
        printf("%lu %lu %lu\n", (unsigned long)off, (unsigned long)on,
               after - before);
        fflush(stdout);
    }
    door("reset");
    return 0;
}
