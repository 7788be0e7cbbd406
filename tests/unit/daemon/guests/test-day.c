/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A day on a large host: the memory of xenoprofd does not grow, no sample is
 * unaccounted for, and a report of any hour takes seconds.  A usual run has
 * some minutes on a small host instead.
 *
 *   DAY=86400 test-day    (virtual seconds; build report/xenopreport before)
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "control/session-folders.h"
#include "day-kit.h"
#include "libxenoprof/session/session-writer.h"

#define PARTS       24u
#define PART_LEAST  120u /* seconds: some files of the session */
#define HOUR        3600u
#define REPORT_MOST (10 * DAY_SECOND)
#define MEMORY_MOST (64ul << 20)
#define KEPT        1280u /* bytes of a domain that has ended */
/* Tables of vCPUs and names that double now and then, up to their bounds. */
#define DOUBLED (512u << 10)

/* What of a part of the day is printed and bounded. */
struct stretch {
    uint64_t samples; /* since the day began */
    uint64_t mean;    /* bytes that were taken in it, by the second, */
    uint64_t most;    /* ... and at most */
    uint64_t cpu;     /* ns of xenoprofd */
};

static struct day day;

/* What malloc() gave, but for the host's and the sanitizer's, which counts
 * nothing.  Large arrays are mapped. */
static uint64_t memory(void)
{
    struct mallinfo2 info = mallinfo2();
    uint64_t all = info.uordblks + info.hblkhd;
    uint64_t own = process_host()->bytes;

    return info.uordblks && all > own ? all - own : 0;
}

static struct stretch pass(unsigned int seconds)
{
    struct stretch ret = {0};
    uint64_t before = day.cpu, sum = 0;

    for ( unsigned int i = 0; i < seconds; i++ )
    {
        uint64_t bytes;

        day_pass(&day, DAY_SECOND);
        bytes = memory();
        sum += bytes;
        if ( bytes > ret.most )
            ret.most = bytes;
    }
    ret.mean = sum / seconds;
    ret.cpu = day.cpu - before;
    ret.samples = day.kit.recording.status.counters.made;
    return ret;
}

static void print(unsigned int number, const struct stretch *stretch,
                  uint64_t samples)
{
    printf("# %4u %10llu %8llu %8llu %8.2f %6zu\n", number,
           (unsigned long long)stretch->samples,
           (unsigned long long)stretch->mean / 1024,
           (unsigned long long)stretch->most / 1024,
           samples ? (double)stretch->cpu / 1000 / (double)samples : 0.0,
           day.kit.recording.drain.accounts.count);
    fflush(stdout);
}

/* So many stretches of so many seconds.  None takes more than there is for
 * xenoprofd.  None of the second half takes more than those of the first, at
 * most or in the mean, but for what --status shows of domains that have
 * ended. */
static void live(unsigned int count, unsigned int seconds)
{
    struct stretch stretch;
    uint64_t first = 0, most = 0, samples = 0,
             ends = seconds * DAY_SECOND * (count / 2) / day.host.life;

    printf("# %4s %10s %8s %8s %8s %6s\n", "part", "samples", "mean KiB",
           "most KiB", "us", "rings");
    for ( unsigned int i = 0; i < count; i++ )
    {
        stretch = pass(seconds);
        print(i + 1, &stretch, stretch.samples - samples);
        samples = stretch.samples;
        if ( i < (count + 1) / 2 && stretch.mean > first )
            first = stretch.mean;
        if ( i < (count + 1) / 2 && stretch.most > most )
            most = stretch.most;
        CHECK(stretch.most <= MEMORY_MOST);
        CHECK(stretch.most <= most + most / 16 + ends * KEPT + DOUBLED);
        CHECK(stretch.mean <= first + first / 32 + ends * KEPT + DOUBLED);
    }
}

static void account(uint64_t expired)
{
    struct day_counts counts;

    day_count(&day, &counts);
    printf("# %llu made, %llu kept, %llu expired, %llu lost\n",
           (unsigned long long)counts.made, (unsigned long long)counts.kept,
           (unsigned long long)counts.expired, (unsigned long long)counts.lost);
    CHECK_EQ(counts.made, counts.kept + counts.expired + counts.lost);
    CHECK_EQ(counts.lost, 0);
    CHECK(counts.expired >= expired);
}

/* ns of CPU of what has ended. */
static uint64_t cpu_of_children(void)
{
    struct rusage all;

    getrusage(RUSAGE_CHILDREN, &all);
    return (uint64_t)(all.ru_utime.tv_sec + all.ru_stime.tv_sec) * DAY_SECOND +
           (uint64_t)(all.ru_utime.tv_usec + all.ru_stime.tv_usec) * 1000;
}

/* Runs a command.  Returns whether there was a sample. */
static bool has_samples(const char *command)
{
    FILE *output = popen(command, "r");
    char line[512];
    bool ret = true;

    CHECK(output);
    while ( fgets(line, sizeof(line), output) )
        ret &= !strstr(line, "(no samples)");
    if ( pclose(output) )
        test_fail(__FILE__, __LINE__, "failed: %s", command);
    return ret;
}

/* Returns what a report takes, ns. */
static uint64_t report(unsigned int hour, const char *view, bool has)
{
    const char *build = getenv("top_builddir");
    uint64_t begun = monotonic_now(), before = cpu_of_children(), took, cpu;
    char line[512];
    bool found;

    snprintf(
        line, sizeof(line),
        "%s/report/xenopreport %s --filter=time=%u..%u --session=%s/" SESSION_CURRENT,
        build ? build : ".", view, hour * HOUR, (hour + 1) * HOUR, day.kit.dir);
    found = has_samples(line);
    took = monotonic_now() - begun;
    cpu = cpu_of_children() - before;
    printf("# hour %u, %s: %.1f s, CPU %.1f s%s\n", hour,
           *view ? view : "overview", (double)took / 1e9, (double)cpu / 1e9,
           found ? "" : ", no samples");
    fflush(stdout);
    CHECK(found || !has);
    return took;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The oldest have expired, the last one is there in any case.  What all take is
 * said before it is judged. */
static void report_hours(unsigned int hours)
{
    const unsigned int last = hours - 1;
    uint64_t slowest = 0;

    for ( unsigned int i = 0; i < hours; i++ )
    {
        slowest = larger(slowest, report(i, "", i == last));
        slowest = larger(slowest, report(i, "--sort=symbol", i == last));
        slowest = larger(slowest, report(i, "--callgraph", i == last));
    }
    CHECK(slowest < REPORT_MOST);
}

TEST(small_host_takes_no_more_with_time)
{
    static const struct day_host host = {
        .pcpus = 12,
        .guests = 8,
        .hz = 19,
        .life = 2 * DAY_SECOND,
        .options = " passive-domains=all lease=0 frequency=19"};

    day_begin(&day, &host);
    /* A file in which as much is defined as in all others. */
    day.kit.recording.writer->file_age = 10 * DAY_SECOND;
    live(16, 20);
    day_stop(&day);
    account(0);
    day_free(&day);
}

/* From 18:00 on.  Backups take all pCPUs for an hour; people make the host
 * busier by day than by night.  On average a quarter of it is busy. */
LONG_TEST(day_of_a_large_host, "DAY")
{
    static const uint8_t busy[DAY_HOURS] = {30, 25, 20, 20, 15, 10, 10, 100,
                                            5,  5,  5,  10, 15, 20, 25, 35,
                                            40, 40, 35, 40, 40, 35, 35, 35};
    static const struct day_host host = {
        .busy = busy,
        .pcpus = 256,
        .guests = DAY_GUESTS_MAX,
        .hz = 19,
        .life = HOUR * DAY_SECOND / 50,
        .options = " passive-domains=all lease=0 frequency=19 max-size=1300"};
    unsigned int seconds = (unsigned int)atoi(getenv("DAY"));
    unsigned int parts = seconds / PART_LEAST < PARTS ? seconds / PART_LEAST
                                                      : PARTS;

    CHECK(parts >= 4);
    day_begin(&day, &host);
    live(parts, seconds / parts);
    day_stop(&day);
    account(seconds >= DAY_HOURS * HOUR);
    report_hours((seconds + HOUR - 1) / HOUR);
    day_free(&day);
}

/* The most samples that there are, 50,000 a second: files are full after some
 * seconds. */
LONG_TEST(busiest_host_takes_no_more_memory, "DAY")
{
    static const struct day_host host = {
        .pcpus = 256,
        .guests = DAY_GUESTS_MAX,
        .hz = 195,
        .life = HOUR * DAY_SECOND,
        .options = " passive-domains=all lease=0 frequency=195"};
    struct stretch stretch;

    day_begin(&day, &host);
    stretch = pass(30);
    print(1, &stretch, stretch.samples);
    CHECK(stretch.samples > 1000000);
    CHECK(stretch.most <= MEMORY_MOST);
    CHECK(xenoprof_writer_epoch(day.kit.recording.writer) >= 3);
    day_stop(&day);
    account(0);
    day_free(&day);
}

/* At the usual frequency, all pCPUs at work, each with a vCPU that stays. */
LONG_TEST(large_host_loses_nothing_in_a_second, "DAY")
{
    static const struct day_host host = {
        .pcpus = 256,
        .guests = DAY_GUESTS_MAX,
        .hz = 97,
        .life = HOUR * DAY_SECOND,
        .options = " passive-domains=all lease=0 frequency=97"};
    struct day_counts counts;

    day_begin(&day, &host);
    day_pass(&day, 2 * DAY_SECOND);
    CHECK_EQ(day.kit.recording.status.frequency, 97);
    for ( unsigned int i = 0; i < 5; i++ )
    {
        day_be_away(&day, DAY_SECOND);
        day_pass(&day, DAY_SECOND);
    }
    day_stop(&day);
    day_count(&day, &counts);
    CHECK(counts.made > 200000);
    CHECK_EQ(counts.made, counts.kept);
    day_free(&day);
}
