/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include <xenoprof/record.h>
#include <xenoprof/ring.h>

#include "control/start-options.h"
#include "tests/harness.h"

static struct failure failure;

static int set(const char *key, const char *value)
{
    struct start_options options;
    int status;

    start_options_init(&options);
    failure = (struct failure){0};
    status = start_options_set(&options, key, value, &failure);
    if ( !status )
        status = start_options_check(&options, &failure);
    CHECK(!status == !failure.text[0]);
    start_options_free(&options);
    return status;
}

/* What each option takes, by itself. */
static const struct {
    const char *key, *value;
    int status;
} values[] = {
    {"frequency", "1", 0},
    {"frequency", "0", STATUS_RANGE},
    {"frequency", "1000", 0},
    {"frequency", "5001", STATUS_RANGE},
    {"frequency", "97Hz", STATUS_RANGE},
    {"ring-size", "4", 0},
    {"ring-size", "1024", 0},
    {"ring-size", "2", STATUS_RANGE},
    {"ring-size", "12", STATUS_RANGE},
    {"ring-size", "2048", STATUS_RANGE},
    {"stacks", "xen,kernel,below", STATUS_USAGE}, /* without user */
    {"stacks", "xen,kernel,user,below", 0},
    {"user-window", "8", 0},
    {"user-window", "16", STATUS_USAGE}, /* of what was not asked for */
    {"user-window", "0", STATUS_RANGE},
    {"user-window", "33", STATUS_RANGE},
    {"duration", "1", 0},
    {"duration", "0", STATUS_RANGE},
    {"spool", "0", 0},
    {"spool", "1024", 0},
    {"spool", "1025", STATUS_RANGE},
    {"max-size", "8", 0},
    {"max-size", "7", STATUS_RANGE},
    {"keep", "1", 0},
    {"keep", "366", 0},
    {"keep", "0", STATUS_RANGE},
    {"keep", "367", STATUS_RANGE},
    {"max-age", "60", 0},
    {"max-age", "1m", 0},
    {"max-age", "366d", 0},
    {"max-age", "59s", STATUS_RANGE},
    {"max-age", "367d", STATUS_RANGE},
    {"max-age", "2 days", STATUS_RANGE},
    {"lease", "0", 0},
    {"lease", "3600", 0},
    {"lease", "3601", STATUS_RANGE},
    {"budget", "0", 0},
    {"budget", "100", 0},
    {"budget", "101", STATUS_RANGE},
    {"sampler", "nmi", 0},
    {"sampler", "timer", 0},
    {"sampler", "pmu", STATUS_RANGE},
    {"pcpus", "0-3,7", 0},
    {"pcpus", "4096", STATUS_RANGE},
    {"pcpus", "all", STATUS_RANGE},
    {"cpupool", "", STATUS_USAGE},
    {"session-dir", "/tmp/x", 0},
    {"session-dir", "tmp/x", STATUS_USAGE},
    {"xen-syms", "xen-syms", STATUS_USAGE},
    {"stacks", "none", 0},
    {"trace", "exits,runstates", 0},
    {"trace", "waits", STATUS_RANGE},
    {"stacks", "user,xen,kernel,xen", 0},
    {"stacks", "", STATUS_RANGE},
    {"stacks", "xen,", STATUS_RANGE},
    {"stacks", ",xen", STATUS_RANGE},
    {"stacks", "xen,none", STATUS_RANGE},
    {"stacks", "xe", STATUS_RANGE},
    {"stacks", "xenon", STATUS_RANGE},
    {"no-agent", "1", 0},
    {"no-agent", "2", STATUS_USAGE},
    {"no-such-option", "1", STATUS_USAGE},
};

TEST(options_ranges)
{
    for ( size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++ )
    {
        int status = set(values[i].key, values[i].value);

        if ( status != values[i].status )
            test_fail(__FILE__, __LINE__, "--%s=%s: status %d, wanted %d: %s",
                      values[i].key, values[i].value, status, values[i].status,
                      failure.text);
    }
}

TEST(options_over_1000_hz_need_force)
{
    struct start_options options;

    CHECK_EQ(set("frequency", "1001"), STATUS_RANGE);
    start_options_init(&options);
    CHECK_EQ(start_options_parse(
                 &options, "start frequency=5000 force=frequency", &failure),
             0);
    CHECK_EQ(start_options_check(&options, &failure), 0);
    start_options_free(&options);
    /* A word of another guard. */
    start_options_init(&options);
    CHECK_EQ(start_options_parse(&options,
                                 "start frequency=5000 force=readers,periods",
                                 &failure),
             0);
    CHECK_EQ(options.force, FORCE_READERS | FORCE_PERIODS);
    CHECK_EQ(start_options_check(&options, &failure), STATUS_RANGE);
    start_options_free(&options);
}

/* Nothing is forced without its name. */
TEST(options_force_names_a_guard)
{
    CHECK_EQ(set("force", "1"), STATUS_RANGE);
    CHECK_TEXT(failure.text, "--force=1: use none, or a list of frequency, "
                             "readers, periods, nmis joined by commas");
    CHECK_EQ(set("force", ""), STATUS_RANGE);
    CHECK_EQ(set("force", "all"), STATUS_RANGE);
}

/* For ever has neither an end nor another age. */
TEST(options_keep_is_all_that_says_how_long)
{
    static const struct {
        const char *line;
        int status;
        unsigned int age;
    } cases[] = {
        {"start keep=7", 0, 7 * 86400},
        {"start keep=7 max-size=100", 0, 7 * 86400},
        {"start max-age=2h duration=30", 0, 7200},
        {"start", 0, 0},
        {"start keep=7 max-age=2d", STATUS_USAGE, 7 * 86400},
        {"start keep=7 duration=30", STATUS_USAGE, 7 * 86400},
    };

    for ( size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++ )
    {
        struct start_options options;

        start_options_init(&options);
        CHECK_EQ(start_options_parse(&options, cases[i].line, &failure), 0);
        CHECK_EQ(start_options_check(&options, &failure), cases[i].status);
        CHECK_EQ(start_options_max_age(&options), cases[i].age);
        start_options_free(&options);
    }
}

TEST(options_pcpus_or_cpupool)
{
    struct start_options options;

    start_options_init(&options);
    CHECK_EQ(
        start_options_parse(&options, "start pcpus=0 cpupool=Pool-0", &failure),
        0);
    CHECK_EQ(start_options_check(&options, &failure), STATUS_USAGE);
    start_options_free(&options);
}

static char *canonical(const char *line)
{
    struct start_options options;
    char *text;

    start_options_init(&options);
    CHECK_EQ(start_options_parse(&options, line, &failure), 0);
    text = start_options_text(&options);
    start_options_free(&options);
    return text;
}

static void check_same(const char *a, const char *b, bool same)
{
    char *left = canonical(a), *right = canonical(b);

    if ( (strcmp(left, right) == 0) != same )
        test_fail(__FILE__, __LINE__, "'%s' and '%s' %s the same", a, b,
                  same ? "are not" : "are");
    free(left);
    free(right);
}

TEST(options_that_are_the_same)
{
    check_same("start", "start frequency=97 lease=30 by=somebody", true);
    check_same("start pcpus=0,1,2", "start pcpus=0-2", true);
    check_same("start passive-domains=3,5", "start passive-domains=3,5,3",
               true);
    check_same("start stacks=xen,user", "start stacks=user,xen", true);
    check_same("start stacks=kernel,xen", "start", true);
    check_same("start stacks=user", "start stacks=none", false);
    check_same("start active-domains=3 stacks=kernel,xen",
               "start active-domains=3", false);
    check_same("start frequency=98", "start", false);
    check_same("start passive-domains=3", "start active-domains=3", false);
    check_same("start passive-domains=all", "start", false);
    check_same("start session-dir=/a", "start", false);
}

TEST(options_survive_their_own_text)
{
    static const char line[] =
        " passive-domains=3,web%20server active-domains=db frequency=997 "
        "pcpus=0-3 sampler=timer stacks=xen,user ring-size=64 duration=30 lease=0 "
        "session-dir=/a%20b xen-syms=/c";
    char *once = canonical(line);

    CHECK_TEXT(once, line);
    free(once);
}

TEST(options_that_cannot_be_read)
{
    struct start_options options;

    start_options_init(&options);
    CHECK_EQ(
        start_options_parse(&options, "start frequency=97 nonsense", &failure),
        STATUS_USAGE);
    start_options_free(&options);
}

TEST(options_ring_by_frequency)
{
    const uint64_t room = xenoprof_ring_ceiling(4);
    struct start_options options;

    start_options_init(&options);
    options.stacks = STACKS_NONE;
    CHECK_EQ(start_options_ring_pages(&options, 4, room), 32);
    options.frequency = 997;
    CHECK_EQ(start_options_ring_pages(&options, 4, room), 256);
    options.frequency = 5000;
    CHECK_EQ(start_options_ring_pages(&options, 4, room), 256);
    options.ring_size = 8;
    CHECK_EQ(start_options_ring_pages(&options, 4, room), 2);
}

/* Bytes of a sample with the default stacks: on average, with a kernel's stack
 * of full length in one of four. */
#define USUAL_SAMPLE (224 + 32 + 6144 / 4)

/* Four seconds of what is recorded by default, unless twice as much would not
 * fit into three quarters of the room. */
static void check_seconds(size_t rings, uint64_t room)
{
    struct start_options options;
    uint64_t bytes;

    start_options_init(&options);
    bytes = start_options_ring_pages(&options, rings, room) *
            XENOPROF_PAGE_SIZE;
    CHECK(bytes >= 4 * 97 * USUAL_SAMPLE || 2 * bytes * rings > room / 4 * 3);
    CHECK(bytes == 8 * XENOPROF_PAGE_SIZE || bytes * rings <= room / 4 * 3);
}

TEST(options_ring_holds_four_seconds_where_there_is_room)
{
    struct start_options options;

    for ( size_t rings = 1; rings < 8000; rings += 1 + rings / 50 )
    {
        check_seconds(rings, xenoprof_ring_ceiling(4));
        check_seconds(rings, xenoprof_ring_ceiling(64));
        check_seconds(rings, 10 << 20);
        check_seconds(rings, 0);
    }
    start_options_init(&options);
    CHECK_EQ(start_options_ring_pages(&options, 48, xenoprof_ring_ceiling(4)),
             256);
    CHECK_EQ(start_options_ring_pages(&options, 49, xenoprof_ring_ceiling(4)),
             128);
    CHECK_EQ(start_options_ring_pages(&options, 192, xenoprof_ring_ceiling(64)),
             256);
    /* A host on which little is free. */
    CHECK_EQ(start_options_ring_pages(&options, 16, 8 << 20), 64);
    CHECK_EQ(start_options_ring_pages(&options, 16, 0), 8);
}

/* A host of any size gets a session, with room for more domains. */
TEST(options_rings_of_a_large_host_are_smaller)
{
    static const struct {
        size_t rings;
        uint32_t pcpus;
        unsigned int pages;
    } cases[] = {{16, 4, 256},  {48, 4, 256},  {192, 4, 64},   {193, 4, 32},
                 {500, 4, 16},  {1256, 63, 8}, {192, 64, 256}, {193, 64, 128},
                 {768, 64, 64}, {769, 64, 32}, {1256, 256, 32}};
    struct start_options options;

    start_options_init(&options);
    options.stacks = STACKS_KERNEL;
    for ( size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++ )
        CHECK_EQ(
            start_options_ring_pages(&options, cases[i].rings,
                                     xenoprof_ring_ceiling(cases[i].pcpus)),
            cases[i].pages);
}

TEST(options_windows_fit_into_rings)
{
    struct start_options options;

    start_options_init(&options);
    CHECK_EQ(start_options_window(&options, 1), 1024);
    CHECK_EQ(start_options_window(&options, 2), 3072);
    CHECK_EQ(start_options_window(&options, 4), 6144);
    CHECK_EQ(start_options_window(&options, 256), 6144);
    options.stacks |= STACKS_USER;
    CHECK_EQ(start_options_window(&options, 1), 1024);
    /* Two stacks share the room. */
    options.stacks |= STACKS_BELOW;
    CHECK_EQ(start_options_window(&options, 1), 512);
    CHECK_EQ(start_options_window(&options, 4), 3584);
    CHECK_EQ(start_options_window(&options, 8), 6144);
}

/* Of processes there are none unless they are asked for. */
TEST(options_windows_of_processes)
{
    struct start_options options;

    start_options_init(&options);
    CHECK_EQ(start_options_user_window(&options, 256), 0);
    options.stacks |= STACKS_USER;
    CHECK_EQ(start_options_user_window(&options, 1), 1024);
    CHECK_EQ(start_options_user_window(&options, 4), 7168);
    options.stacks |= STACKS_BELOW;
    CHECK_EQ(start_options_user_window(&options, 1), 512);
    CHECK_EQ(start_options_user_window(&options, 4), 3584);
    CHECK_EQ(start_options_user_window(&options, 8), 7680);
    CHECK_EQ(start_options_user_window(&options, 256), 8192);
    options.user_window = 32;
    CHECK_EQ(start_options_check(&options, &failure), 0);
    CHECK_EQ(start_options_user_window(&options, 256), 32768);
    CHECK_EQ(start_options_user_window(&options, 16), 15872);
    options.user_window = 1;
    CHECK_EQ(start_options_user_window(&options, 256), 1024);
    CHECK_EQ(start_options_check(&options, &failure), 0);
    options.stacks = STACKS_XEN | STACKS_USER;
    CHECK_EQ(start_options_check(&options, &failure), STATUS_USAGE);
}

TEST(options_stacks_say_which_parts_samples_have)
{
    uint32_t each = XENOPROF_PART_GUEST | XENOPROF_PART_REGISTERS |
                    XENOPROF_PART_ENTRY;
    const uint32_t windows = XENOPROF_PART_WINDOW | XENOPROF_PART_WINDOW2;
    struct start_options options;

    start_options_init(&options);
    options.stacks = STACKS_NONE;
    CHECK_EQ(start_options_parts(&options) & (each | windows), each);
    each = start_options_parts(&options);
    options.stacks = STACKS_XEN;
    CHECK_EQ(start_options_parts(&options), each | XENOPROF_PART_XEN_STACK);
    options.stacks = STACKS_KERNEL | STACKS_USER;
    CHECK_EQ(start_options_parts(&options), each | windows);
    options.stacks |= STACKS_BELOW;
    CHECK_EQ(start_options_parts(&options),
             each | windows | XENOPROF_PART_USER_WINDOW);
    options.stacks = STACKS_KERNEL;
    CHECK_EQ(start_options_parts(&options), each | windows);
}

/* Who names a domain as active, and no stacks, has those of its processes, in
 * their kernel as well. */
TEST(options_active_domains_have_stacks_of_processes)
{
    static const struct {
        const char *line;
        bool below;
    } cases[] = {
        {"start", false},
        {"start passive-domains=3", false},
        {"start active-domains=3", true},
        {"start active-domains=3 stacks=kernel,xen", false},
        {"start active-domains=3 stacks=xen,kernel,user", false},
        {"start stacks=xen,kernel,user,below", true},
    };

    for ( size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++ )
    {
        struct start_options options;

        start_options_init(&options);
        CHECK_EQ(start_options_parse(&options, cases[i].line, &failure), 0);
        CHECK_EQ(!!(start_options_parts(&options) & XENOPROF_PART_USER_WINDOW),
                 cases[i].below);
        start_options_free(&options);
    }
}
