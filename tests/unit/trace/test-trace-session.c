/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session of traced changes, read back. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/libxenoprof/session/session-kit.h"
#include "trace/trace-session.h"

#define KHZ 2000000u /* two ticks a ns */
#define MS  (2000ull * 1000)

#define WEB "domain 2000000000 5 05000000000000000000000000000000 web other\n"
#define DOM0                                                                   \
    "domain 2000000000 0 00000000000000000000000000000000 Domain-0 dom0\n"

static struct session_kit *kit;
static struct trace_session session;
static struct domain_list domains;

static void begin(void)
{
    struct listed_domain *dom0, *web;

    kit = kit_create();
    trace_session_init(&session, kit->writer, KHZ, true);
    dom0 = vector_add(&domains);
    *dom0 = (struct listed_domain){.id = 0, .name = "Domain-0"};
    web = vector_add(&domains);
    *web = (struct listed_domain){.id = 5, .uuid = {5}, .name = "web"};
}

static void end(void)
{
    trace_session_free(&session);
    domain_list_free(&domains);
    kit_destroy(kit);
}

static void change(uint16_t pcpu, uint64_t ms, uint16_t domain,
                   enum runstate old, enum runstate new)
{
    const struct trace_event event = {
        .number = TRACE_RUNSTATE | (uint32_t)old << 8 | (uint32_t) new << 4,
        .pcpu = pcpu,
        .tsc = ms *MS,
        .words = 1,
        .word = {(uint32_t)domain << 16},
    };

    CHECK(trace_session_add(&session, &event));
}

static void say(void)
{
    KIT_OK(kit, trace_session_say(&session, &domains));
}

/* What the session says of two kinds. */
static const char *lines_of(const char *one, const char *other)
{
    static char lines[1024];
    char *text, *at, *rest;

    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    text = kit_read(kit, kit->folder);
    lines[0] = '\0';
    for ( at = strtok_r(text, "\n", &rest); at;
          at = strtok_r(NULL, "\n", &rest) )
        if ( !strncmp(at, one, strlen(one)) ||
             !strncmp(at, other, strlen(other)) )
        {
            strcat(lines, at);
            strcat(lines, "\n");
        }
    free(text);
    return lines;
}

static const char *said(void)
{
    return lines_of("wait ", "domain ");
}

/* Records of two pCPUs, of which one comes late. */
TEST(what_was_traced_is_in_the_session)
{
    begin();
    change(0, 1000, 5, RUNSTATE_SLEEPS, RUNSTATE_WAITS);
    change(0, 1300, 5, RUNSTATE_RUNS, RUNSTATE_SLEEPS);
    CHECK(trace_session_count(&session, false));
    change(1, 1100, 0, RUNSTATE_SLEEPS, RUNSTATE_RUNS);
    change(1, 1290, 5, RUNSTATE_WAITS, RUNSTATE_RUNS);
    change(1, 2000, 0, RUNSTATE_RUNS, RUNSTATE_WAITS);
    CHECK(trace_session_count(&session, true));
    say();
    CHECK_TEXT(said(), WEB DOM0 "wait 2000000000 5 0 05000000: "
                                "1000000000 = 10 + 290 + 700 + 0 + 0\n"
                                "wait 2000000000 0 0 00000000: "
                                "900000000 = 900 + 0 + 0 + 0 + 0\n");
    end();
}

/* DOMAIN.0 had the pCPU until then, or gets it. */
static void turn(uint16_t pcpu, uint64_t ms, uint16_t from, uint16_t to)
{
    change(pcpu, ms, from, RUNSTATE_RUNS, RUNSTATE_WAITS);
    change(pcpu, ms, to, RUNSTATE_WAITS, RUNSTATE_RUNS);
}

static void exit_or_entry(uint16_t pcpu, uint64_t ms, uint32_t number)
{
    const struct trace_event event = {
        .number = number,
        .pcpu = pcpu,
        .tsc = ms * MS,
        .words = number == TRACE_EXIT,
        .word = {0x7b},
    };

    CHECK(trace_session_add(&session, &event));
}

static void lose(uint16_t pcpu, uint64_t ms)
{
    const struct trace_event event = {.number = TRACE_LOST,
                                      .pcpu = pcpu,
                                      .tsc = ms * MS,
                                      .words = 1,
                                      .word = {9}};

    CHECK(trace_session_add(&session, &event));
}

TEST(each_wait_and_each_exit_is_in_the_session)
{
    begin();
    turn(0, 1000, 5, 0);
    turn(0, 1010, 0, 5);
    exit_or_entry(0, 1020, TRACE_EXIT);
    exit_or_entry(0, 1023, TRACE_ENTRY);
    turn(0, 1030, 5, 0);
    exit_or_entry(0, 1040, TRACE_ENTRY);
    /* Of waits and exits from before nothing is known. */
    lose(0, 1050);
    turn(0, 1070, 0, 5);
    exit_or_entry(0, 1080, TRACE_EXIT);
    CHECK(trace_session_count(&session, true));
    say();
    CHECK_TEXT(lines_of("latency", "exits"),
               "latency 1080000000 5 0 0500: preempted by 0 0000 in 14: 1 "
               "10000000 at most 10000000\n"
               "latency 1080000000 0 0 0000: preempted by 5 0500 in 15: 1 "
               "20000000 at most 20000000\n"
               "exits 1080000000 5 0 0500: kind 2 flags 4 code 7b: 1 3000000 + "
               "0, 3000000 to 3000000\n");
    CHECK_EQ(session.runstates.lost, 9);
    end();
}

/* One without a record is as Xen said at the beginning. */
TEST(a_vcpu_that_changes_nothing_is_there)
{
    begin();
    change(0, 1000, 0, RUNSTATE_SLEEPS, RUNSTATE_RUNS);
    CHECK(trace_session_count(&session, true));
    CHECK(trace_session_guess(&session, 0, 0, RUNSTATE_SLEEPS));
    CHECK(trace_session_guess(&session, 5, 0, RUNSTATE_IS_OFFLINE));
    change(0, 1500, 0, RUNSTATE_RUNS, RUNSTATE_SLEEPS);
    CHECK(trace_session_count(&session, true));
    say();
    CHECK_TEXT(said(), "domain 1500000000 0 00000000000000000000000000000000 "
                       "Domain-0 dom0\n"
                       "domain 1500000000 5 05000000000000000000000000000000 "
                       "web other\n"
                       "wait 1500000000 0 0 00000000: "
                       "500000000 = 500 + 0 + 0 + 0 + 0\n"
                       "wait 1500000000 5 0 05000000: "
                       "500000000 = 0 + 0 + 0 + 0 + 500\n");
    end();
}

/* It comes with the next list. */
TEST(a_domain_that_is_not_on_the_list_waits)
{
    begin();
    change(0, 1000, 9, RUNSTATE_SLEEPS, RUNSTATE_RUNS);
    change(0, 1500, 9, RUNSTATE_RUNS, RUNSTATE_SLEEPS);
    CHECK(trace_session_count(&session, true));
    say();
    CHECK_TEXT(said(), "");
    domains.items[1].id = 9;
    change(0, 1600, 9, RUNSTATE_SLEEPS, RUNSTATE_RUNS);
    CHECK(trace_session_count(&session, true));
    say();
    CHECK_TEXT(said(), "domain 1600000000 9 05000000000000000000000000000000 "
                       "web other\n"
                       "wait 1600000000 9 0 05000000: "
                       "600000000 = 500 + 0 + 100 + 0 + 0\n");
    end();
}

/* It came and went between two lists: its waits do not stay for ever. */
TEST(what_a_domain_had_that_is_on_no_list_is_left_out)
{
    char text[512];

    begin();
    turn(0, 1000, 9, 0);
    turn(0, 1010, 0, 9);
    exit_or_entry(0, 1020, TRACE_EXIT);
    exit_or_entry(0, 1023, TRACE_ENTRY);
    CHECK(trace_session_count(&session, true));
    for ( unsigned int i = 0; i < 60; i++ )
        say();
    CHECK_EQ(session.latencies.sums.count, 0);
    CHECK_EQ(session.exits.sums.count, 0);
    CHECK(trace_session_missing(&session, text, sizeof(text)));
    CHECK(strstr(text, ", 2 waits and exits left out"));
    end();
}

/* As a recorder does: the new list, and then the last one. */
TEST(a_domain_that_went_has_its_last_second)
{
    struct domain_list now = {0};

    begin();
    change(0, 1000, 5, RUNSTATE_SLEEPS, RUNSTATE_RUNS);
    change(0, 1500, 5, RUNSTATE_RUNS, RUNSTATE_SLEEPS);
    CHECK(trace_session_count(&session, true));
    KIT_OK(kit, trace_session_say(&session, &now));
    CHECK_TEXT(said(), "");
    say();
    KIT_OK(kit, trace_session_say(&session, &now));
    CHECK(strstr(said(), "wait 1500000000 5 0 05000000: "
                         "500000000 = 500 + 0 + 0 + 0 + 0\n"));
    end();
}
