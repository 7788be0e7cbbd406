/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a tick takes, on the process port, by the number of pCPUs and of
 * domains with one vCPU: those that do their upkeep and the others, with all
 * that they need out of the caches, as it is when guests run in between.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "hypervisor/core.h"
#include "tests/host/host.h"

#define ROUNDS      200u
#define CACHES      (64ul << 20) /* bytes, more than the caches hold */
#define MILLISECOND 1000000ul

static volatile unsigned char *guests;

static void command(const char *format, ...)
{
    char line[XENOPROF_COMMAND_MAX];
    va_list arguments;
    int error;

    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    do
        error = core_command(line);
    while ( error == -ERROR_AGAIN );
    if ( error )
    {
        fprintf(stderr, "tick-cost: refused: %s\n", line);
        exit(1);
    }
}

static void begin(unsigned int pcpus, unsigned int domains)
{
    process_reset(pcpus);
    command("reserve sampler=nmi frequency=97 mask=3 pages=1 queue=8 lease=0 "
            "budget=250");
    for ( unsigned int id = 1; id <= domains; id++ )
        command("domain id=%u vcpus=1 uuid=%032x kind=passive", id, id);
    for ( unsigned int pcpu = 0; pcpu < pcpus; pcpu++ )
        process_set_current(pcpu, 1 + pcpu % domains, 0);
    command("start");
}

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ul + time.tv_nsec;
}

/* The tick of pCPU 0 after so long a time. */
static uint64_t tick_after(uint64_t ns)
{
    uint64_t start;

    process_pass(ns);
    for ( unsigned long i = 0; i < CACHES; i += 64 )
        guests[i]++;
    start = now();
    core_tick(0);
    start = now() - start;
    process_settle();
    return start;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static double median_us(uint64_t ns)
{
    static uint64_t ticks[ROUNDS];

    for ( unsigned int i = 0; i < ROUNDS; i++ )
        ticks[i] = tick_after(ns);
    qsort(ticks, ROUNDS, sizeof(*ticks), compare);
    return ticks[ROUNDS / 2] / 1000.0;
}

int main(void)
{
    static const struct {
        unsigned int pcpus, domains;
    } hosts[] = {{16, 20}, {256, 1}, {256, 1000}};

    guests = calloc(1, CACHES);
    if ( !guests )
        return 1;
    printf("%8s %8s %12s %12s %12s\n", "pCPUs", "domains", "1 ms, us",
           "20 ms, us", "200 ms, us");
    for ( unsigned int i = 0; i < sizeof(hosts) / sizeof(*hosts); i++ )
    {
        begin(hosts[i].pcpus, hosts[i].domains);
        printf("%8u %8u", hosts[i].pcpus, hosts[i].domains);
        printf(" %12.1f", median_us(MILLISECOND));
        printf(" %12.1f", median_us(20 * MILLISECOND));
        printf(" %12.1f\n", median_us(200 * MILLISECOND));
    }
    printf("\nthe median tick that comes so long after the last one: nothing "
           "is due, what cannot\nwait, sums over all pCPUs\n");
    return 0;
}
