/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what vCPUs did in all of their lives to what they did since. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/waits/wait-times.h"
#include "tests/harness.h"
#include "tests/unit/libxenoprof/session/session-kit.h"

#define MS     1000000ull
#define SECOND (1000 * MS)

static struct wait_times times;
static struct domain_names names;
static struct session_kit *kit;
static struct xenoprof_wait now;

/* A vCPU that has been blocked for a second of its life. */
static void begin(void)
{
    kit = kit_create();
    wait_times_init(&times);
    now = (struct xenoprof_wait){
        .head = {.kind = XENOPROF_RECORD_WAIT, .length = sizeof(now)},
        .time = 100 * SECOND,
        .domain = 5,
        .uuid = {1},
        .state = XENOPROF_BLOCKED,
        .times = {0, 0, SECOND, 0},
    };
}

static void take(void)
{
    KIT_OK(kit, wait_times_take(&times, &names, kit->writer, &now));
}

/* It has done this since, and is in that state. */
static void pass(uint64_t running, uint64_t runnable, uint64_t blocked,
                 uint64_t offline, enum xenoprof_runstate state)
{
    const uint64_t ms[] = {running, runnable, blocked, offline};

    for ( unsigned int i = 0; i < XENOPROF_RUNSTATES; i++ )
    {
        now.times[i] += ms[i] * MS;
        now.time += ms[i] * MS;
    }
    if ( now.state != state )
        now.since = now.time;
    now.state = state;
    take();
}

/* Returns the session's rows, in text. */
static char *end(void)
{
    char *text, *waits = calloc(1, 65536), *save, *line;

    KIT_OK(kit, wait_times_finish(&times, &names, kit->writer));
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 1));
    text = kit_read(kit, kit->folder);
    for ( line = strtok_r(text, "\n", &save); line;
          line = strtok_r(NULL, "\n", &save) )
        if ( !strncmp(line, "wait ", 5) )
            strcat(strcat(waits, line + 5), "\n");
    free(text);
    wait_times_free(&times);
    domain_names_free(&names);
    kit_destroy(kit);
    return waits;
}

static void rows_are(const char *wanted)
{
    char *rows = end();

    CHECK_TEXT(rows, wanted);
    free(rows);
}

TEST(the_first_record_is_where_times_begin)
{
    begin();
    take();
    rows_are("");
}

TEST(what_it_did_since)
{
    begin();
    take();
    pass(700, 200, 100, 0, XENOPROF_RUNNING);
    pass(1000, 0, 0, 0, XENOPROF_RUNNING);
    pass(0, 900, 0, 100, XENOPROF_RUNNABLE);
    rows_are("101000000000 5 0 01000000: 1000000000 = 700 + 200 + 100 + 0 + 0\n"
             "102000000000 5 0 01000000: 1000000000 = 1000 + 0 + 0 + 0 + 0\n"
             "103000000000 5 0 01000000: 1000000000 = 0 + 900 + 0 + 0 + 100\n");
}

/* Of what dom0's kernel counts, its vCPUs waited for a pCPU for a part. */
TEST(what_dom0_was_on_pcpus)
{
    begin();
    take();
    pass(700, 200, 100, 0, XENOPROF_RUNNING);
    CHECK_EQ(wait_times_on_pcpus(&times, 1000), 1000);
    now.domain = 0;
    now.vcpu = 1;
    take();
    CHECK_EQ(wait_times_on_pcpus(&times, 1000), 1000);
    pass(300, 600, 100, 0, XENOPROF_RUNNING);
    pass(100, 200, 700, 0, XENOPROF_RUNNING);
    CHECK_EQ(wait_times_on_pcpus(&times, 1200), 400);
    /* An old record says nothing new. */
    now.times[XENOPROF_RUNNING] -= 50 * MS;
    take();
    CHECK_EQ(wait_times_on_pcpus(&times, UINT64_MAX), UINT64_MAX / 3);
    free(end());
}

/* A cap takes it off its pCPU; a pause does, too, but then it has no work. */
TEST(what_a_capped_dom0_was_on_pcpus)
{
    begin();
    now.domain = 0;
    take();
    now.reasons = XENOPROF_WAIT_CAPPED;
    pass(100, 100, 0, 800, XENOPROF_OFFLINE);
    CHECK_EQ(wait_times_on_pcpus(&times, 1000), 100);
    now.reasons = 0;
    pass(0, 0, 0, 5000, XENOPROF_OFFLINE);
    CHECK_EQ(wait_times_on_pcpus(&times, 1000), 100);
    free(end());
}

/* A row a minute, and the rest at the end. */
TEST(a_vcpu_that_rests_has_few_rows)
{
    begin();
    take();
    for ( unsigned int i = 0; i < 90; i++ )
        pass(0, 0, 1000, 0, XENOPROF_BLOCKED);
    rows_are("160000000000 5 0 01000000: 60000000000 = 0 + 0 + 60000 + 0 + 0\n"
             "190000000000 5 0 01000000: 30000000000 = 0 + 0 + 30000 + 0 + "
             "0\n");
}

TEST(a_row_after_a_rest_has_all_of_it)
{
    begin();
    take();
    pass(0, 0, 1000, 0, XENOPROF_BLOCKED);
    pass(0, 0, 1000, 0, XENOPROF_BLOCKED);
    now.since = 1; /* it was blocked anew */
    pass(500, 0, 500, 0, XENOPROF_BLOCKED);
    now.since = 2;
    pass(0, 0, 1000, 0, XENOPROF_BLOCKED);
    rows_are("103000000000 5 0 01000000: 3000000000 = 500 + 0 + 2500 + 0 + 0\n"
             "104000000000 5 0 01000000: 1000000000 = 0 + 0 + 1000 + 0 + 0\n");
}

/* What it is offline for is seen at records only. */
TEST(offline_is_what_it_was_seen_to_be)
{
    begin();
    take();
    pass(900, 0, 0, 100, XENOPROF_RUNNING);
    now.reasons = XENOPROF_WAIT_DEVICE;
    pass(900, 0, 0, 100, XENOPROF_OFFLINE);
    now.reasons = 0;
    pass(900, 0, 0, 100, XENOPROF_RUNNING);
    pass(0, 0, 0, 1000, XENOPROF_OFFLINE);
    now.reasons = XENOPROF_WAIT_CAPPED;
    pass(100, 0, 0, 900, XENOPROF_OFFLINE);
    rows_are("101000000000 5 0 01000000: 1000000000 = 900 + 0 + 0 + 0 + 100\n"
             "102000000000 5 0 01000000: 1000000000 = 900 + 0 + 0 + 100 + 0\n"
             "103000000000 5 0 01000000: 1000000000 = 900 + 0 + 0 + 100 + 0\n"
             "104000000000 5 0 01000000: 1000000000 = 0 + 0 + 0 + 0 + 1000\n"
             "105000000000 5 0 01000000: 1000000000 = 100 + 0 + 0 + 0 + 0 + "
             "900\n");
}

/* Rings of pCPUs are read one after the other, and may lose records. */
TEST(records_in_any_order_and_lost_ones)
{
    struct xenoprof_wait late;

    begin();
    take();
    pass(1000, 0, 0, 0, XENOPROF_RUNNING);
    late = now;
    now.times[XENOPROF_RUNNING] += SECOND;
    now.time += SECOND;
    pass(0, 1000, 0, 0, XENOPROF_RUNNABLE);
    now = late;
    take();
    rows_are("101000000000 5 0 01000000: 1000000000 = 1000 + 0 + 0 + 0 + 0\n"
             "103000000000 5 0 01000000: 2000000000 = 1000 + 1000 + 0 + 0 + "
             "0\n");
}

/* Clocks of pCPUs differ: it was seen to be blocked for 3 ms more than it was,
 * and never is again. */
TEST(a_clock_that_is_ahead_holds_up_no_account)
{
    begin();
    take();
    pass(0, 0, 1003, 0, XENOPROF_BLOCKED);
    now.times[XENOPROF_BLOCKED] -= 3 * MS;
    now.time -= 3 * MS;
    pass(1000, 0, 0, 0, XENOPROF_RUNNING);
    pass(600, 400, 0, 0, XENOPROF_RUNNING);
    pass(300, 0, 5, 0, XENOPROF_RUNNING);
    rows_are("102000000000 5 0 01000000: 2003000000 = 1000 + 0 + 1003 + 0 + 0\n"
             "103000000000 5 0 01000000: 1000000000 = 600 + 400 + 0 + 0 + 0\n"
             "103305000000 5 0 01000000: 302000000 = 300 + 0 + 2 + 0 + 0\n");
}

/* Parts of a unit are not lost in the long run. */
TEST(small_parts_add_up)
{
    char *rows;
    uint64_t running = 0, span = 0, one, all;

    begin();
    take();
    for ( unsigned int i = 0; i < 1000; i++ )
    {
        now.times[XENOPROF_RUNNING] += 33333;
        now.times[XENOPROF_BLOCKED] += SECOND - 33333;
        now.since = now.time += SECOND;
        take();
    }
    rows = end();
    for ( char *at = rows; at && *at; at = strchr(at, '\n') + 1 )
    {
        CHECK_EQ(sscanf(at, "%*u 5 0 01000000: %llu = %llu",
                        (unsigned long long *)&all, (unsigned long long *)&one),
                 2);
        span += all;
        running += one;
    }
    CHECK(span >= 1000 * SECOND - 4 * XENOPROF_WAIT_UNIT);
    CHECK(span <= 1000 * SECOND);
    CHECK_EQ(running, 0); /* each part in ms */
    free(rows);
}

/* The next domain with a number has another uuid. */
TEST(a_number_that_is_used_again)
{
    char *rows;

    begin();
    take();
    pass(1000, 0, 0, 0, XENOPROF_RUNNING);
    now.uuid[0] = 2;
    memset(now.times, 0, sizeof(now.times));
    pass(100, 0, 0, 0, XENOPROF_RUNNING);
    pass(500, 0, 0, 0, XENOPROF_RUNNING);
    rows = end();
    CHECK(strstr(rows, " 5 0 01000000: 1000000000 = 1000 "));
    CHECK(strstr(rows, " 5 0 02000000: 500000000 = 500 "));
    free(rows);
}

TEST(vcpus_that_are_gone_take_no_memory)
{
    begin();
    for ( uint32_t i = 0; i < 100000; i++ )
    {
        memcpy(now.uuid, &i, sizeof(i));
        now.time += 100 * MS;
        take();
    }
    CHECK(times.vcpus.count < 4096);
    rows_are("");
}
