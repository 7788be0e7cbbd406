/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What waits in the spool is in the session as such, so a report of a session
 * that is still recorded says the same before and after it has names.
 */
#include <stdio.h>
#include <string.h>

#include "control/session-folders.h"
#include "daemon/waits/spool-counts.h"
#include "tests/unit/daemon/recording-kit.h"
#include "report/model/account.h"
#include "report/model/load.h"

#define OPTIONS " frequency=100 passive-domains=5 waiting=1"

static struct recording_kit kit;

/* What the session says that waits, as a reader adds it up. */
static struct {
    struct spooled_times times;
    unsigned int rows; /* that were said */
} counts;

static void read_reported(void)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    char path[128];

    spooled_free(&counts.times);
    spooled_init(&counts.times);
    counts.rows = 0;
    snprintf(path, sizeof(path), "%s/" SESSION_CURRENT, kit.dir);
    CHECK_EQ(xenoprof_session_open(kit.handle, path, &session), XENOPROF_OK);
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
    {
        counts.rows += item.kind == XENOPROF_ITEM_SPOOLED;
        spooled_take(&counts.times, &item);
    }
    xenoprof_session_close(session);
}

/* Returns how many samples wait, as the session has it. */
static uint64_t wait_in_session(void)
{
    read_reported();
    return spooled_samples(&counts.times);
}

static void flush(void)
{
    CHECK_EQ(drain_flush(&kit.recording.drain, NULL), XENOPROF_OK);
}

static void say_that_they_run(void)
{
    for ( uint16_t vcpu = 0; vcpu < 2; vcpu++ )
    {
        struct xenoprof_wait wait = {
            .domain = 5,
            .vcpu = vcpu,
            .state = XENOPROF_RUNNING,
            .times = {[XENOPROF_RUNNING] = process_now()}};

        memset(wait.uuid, 5, sizeof(wait.uuid));
        process_set_wait(&wait);
    }
}

static void pass(unsigned int milliseconds)
{
    for ( unsigned int done = 0; done < milliseconds; done += 10 )
    {
        kit_pass(&kit, 10 * MILLISECONDS);
        say_that_they_run();
    }
}

/* Both pCPUs run domain 5 all the time: one is in Xen, for its vCPU 0, the
 * other in its vCPU 1. */
static void begin(void)
{
    kit_begin(&kit);
    process_set_current(0, 5, 0);
    process_pcpu(0)->frame.at.mode = XENOPROF_MODE_XEN;
    process_pcpu(0)->frame.at.ip = 0xffff82d040200010ul;
    process_pcpu(1)->frame.at.mode = XENOPROF_MODE_XEN;
    process_pcpu(1)->frame.at.ip = 0xffff82d040200110ul;
    say_that_they_run();
    kit_run(&kit, OPTIONS);
}

static void end(void)
{
    spooled_free(&counts.times);
    kit_end(&kit);
}

/* Returns the part of domain 5's time that a report has in its kernel, in
 * percent; *all is its time. */
static double kernel_share(uint64_t *all)
{
    static const struct time_range range = {.from = {.kind = TIME_OPEN}};
    static const struct join_rule apart = {.any_vcpu = false};
    const struct load_wanted wanted = {.range = &range, .silent = true};
    struct failure failure = {.status = 0};
    struct loaded loaded;
    uint64_t kernel = 0;
    char path[128];

    *all = 0;
    snprintf(path, sizeof(path), "%s/" SESSION_CURRENT, kit.dir);
    loaded_init(&loaded);
    CHECK_EQ(load_session(&loaded, path, &wanted, &failure), 0);
    account_time(&loaded, &apart);
    for ( size_t i = 0; i < loaded.cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded.cells, i);

        if ( loaded_domain(&loaded, cell->key.domain)->key.number != 5 )
            continue;
        *all += cell->time;
        kernel += cell->key.mode == XENOPROF_MODE_KERNEL ? cell->time : 0;
    }
    loaded_free(&loaded);
    return *all ? 100 * (double)kernel / (double)*all : 0;
}

/* Half of what it does is in a kernel that is not known yet, and is now, too;
 * without what waits the report says none, or what Xen did while its first
 * samples were taken. */
TEST(a_report_is_the_same_before_names_are_known)
{
    uint64_t all_before, all_after;
    double before, after;

    begin();
    kit_search_begins(&kit.recording);
    pass(5000);
    CHECK(kit.recording.drain.spool.samples > 400);
    flush();
    before = kernel_share(&all_before);
    kit_search_ends(&kit.recording);
    pass(20);
    CHECK_EQ(kit.recording.drain.spool.samples, 0);
    flush();
    after = kernel_share(&all_after);
    if ( before < 45 || before > 52 || after < 45 || after > 52 )
        test_fail(__FILE__, __LINE__,
                  "%.2f %% of domain 5 is in its kernel before it is known, "
                  "%.2f %% then, and some 49 %% in truth",
                  before, after);
    CHECK(before - after < 1 && after - before < 1);
    CHECK(all_after >= all_before);
    end();
}

TEST(what_waits_is_said_and_taken_back)
{
    uint64_t most;

    begin();
    read_reported();
    CHECK_EQ(counts.rows, 0);
    kit_search_begins(&kit.recording);
    pass(2500);
    flush();
    most = wait_in_session();
    CHECK_EQ(most, kit.recording.drain.spool.samples);
    CHECK(most > 200);
    for ( size_t i = 0; i < counts.times.rows.count; i++ )
    {
        const struct spooled_time *row = table_at(&counts.times.rows, i);

        CHECK_EQ(row->key.domain, 5);
        CHECK_EQ(row->key.vcpu, 1);
        CHECK_EQ(row->key.uuid[7], 5);
        CHECK_EQ(row->key.mode, XENOPROF_MODE_KERNEL);
        CHECK_EQ(row->ticks, row->samples * 10000000);
    }
    /* One a second, and nothing more of a second that is over. */
    CHECK(counts.times.rows.count >= 3 && counts.times.rows.count <= 4);
    CHECK(counts.rows < 20);
    kit_search_ends(&kit.recording);
    pass(20);
    flush();
    CHECK_EQ(wait_in_session(), 0);
    CHECK_EQ(kit.recording.drain.spool_counts.counts.count, 0);
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    end();
}

/* Each file says all of it. */
TEST(what_waits_is_said_again_in_the_next_file)
{
    begin();
    kit_search_begins(&kit.recording);
    pass(1500);
    CHECK_EQ(xenoprof_writer_rotate(kit.recording.writer), XENOPROF_OK);
    pass(1500);
    flush();
    CHECK(kit.recording.drain.spool.samples > 250);
    CHECK_EQ(wait_in_session(), kit.recording.drain.spool.samples);
    end();
}

/* What a daemon that died knew of is lost, and nothing waits. */
TEST(what_waited_in_a_daemon_that_died_is_forgotten)
{
    begin();
    kit_search_begins(&kit.recording);
    pass(1500);
    flush();
    CHECK(wait_in_session() > 100);
    kit_kill(&kit);
    CHECK(recording_adopt(&kit.recording, kit.dir));
    pass(1100);
    flush();
    CHECK_EQ(wait_in_session(), kit.recording.drain.spool.samples);
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    CHECK_EQ(wait_in_session(), 0);
    end();
}

/* Samples of vCPUs that waited, of events and of nonsense are not of time. */
TEST(only_samples_of_time_count)
{
    static const uint8_t uuid[16] = {5};
    const struct xenoprof_event event = {.event = 0};
    struct xenoprof_sample sample = {.time = 7 * XENOPROF_SECOND,
                                     .domain = 5,
                                     .period = 10,
                                     .weight = 2,
                                     .mode = XENOPROF_MODE_USER};
    struct xenoprof_view view = {.sample = &sample};
    struct spool_counts counts;

    spool_counts_init(&counts);
    spool_counts_take(&counts, uuid, &view);
    CHECK_EQ(counts.counts.count, 0);
    spool_counts_add(&counts, uuid, &view);
    CHECK_EQ(counts.counts.count, 1);
    sample.time += XENOPROF_SECOND;
    view.event = &event;
    spool_counts_add(&counts, uuid, &view);
    view.event = NULL;
    sample.marks = XENOPROF_MARK_WAITING;
    spool_counts_add(&counts, uuid, &view);
    sample.marks = 0;
    sample.mode = XENOPROF_MODE_IDLE;
    spool_counts_add(&counts, uuid, &view);
    CHECK_EQ(counts.counts.count, 1);
    spool_counts_free(&counts);
}
