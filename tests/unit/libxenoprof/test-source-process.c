/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library reads exactly what the hypervisor core writes, through overflow
 * and rings that go. */
#include "source-kit.h"
#include "tests/unit/hypervisor/core-kit.h"

static struct xenoprof_handle *handle;

#define OK(call) check(call, __LINE__)
static void check(enum xenoprof_status status, int line)
{
    if ( status )
        test_fail(__FILE__, line, "code %u: %s", status,
                  xenoprof_message(handle));
}

static struct xenoprof_source *begin(void)
{
    struct xenoprof_source *source;

    kit_session(2);
    if ( !handle )
        handle = xenoprof_open();
    OK(source_process(handle, kit_state().status_mfn, &source));
    process_set_current(0, 0, 0);
    process_set_current(1, 5, 1);
    kit_done("start");
    return source;
}

static void run(unsigned int milliseconds)
{
    process_run_until(process_now() + milliseconds * KIT_MILLISECOND);
}

struct drained {
    uint64_t samples;
    uint64_t lost; /* as LOST records say */
    uint64_t with_registers;
};

static void drain(struct xenoprof_source *source, struct drained *seen)
{
    struct xenoprof_view view;

    for ( size_t i = 0; i < xenoprof_source_rings(source); i++ )
    {
        enum xenoprof_status status;

        while ( !(status = xenoprof_ring_next(source, i, &view)) )
        {
            seen->samples += view.sample != NULL;
            seen->with_registers += view.registers != NULL;
            seen->lost += view.lost ? view.lost->count : 0;
        }
        CHECK_EQ(status, XENOPROF_END);
        xenoprof_ring_release(source, i);
    }
}

TEST(every_sample_that_the_core_commits_is_read)
{
    struct xenoprof_source *source = begin();
    struct xenoprof_status_page status;
    struct drained seen = {0};

    for ( int i = 0; i < 100; i++ )
    {
        run(100);
        xenoprof_source_heartbeat(source);
        drain(source, &seen);
    }
    kit_done("stop");
    drain(source, &seen);
    OK(xenoprof_source_status(source, &status));
    CHECK_EQ(status.state, XENOPROF_STATE_STOPPED);
    CHECK(status.counters.made > 1000);
    CHECK_EQ(status.counters.made, status.counters.committed);
    CHECK_EQ(seen.samples, status.counters.committed);
    CHECK(seen.with_registers > 0);
    xenoprof_source_close(source);
    kit_done("reset");
    CHECK_EQ(process_host()->shared, 0);
}

TEST(a_full_ring_loses_what_it_says)
{
    struct xenoprof_source *source = begin();
    struct xenoprof_status_page status;
    struct drained seen = {0};
    uint64_t lost;

    for ( int i = 0; i < 5; i++ )
    {
        run(20000); /* far more than four pages hold */
        drain(source, &seen);
    }
    kit_done("stop");
    drain(source, &seen);
    OK(xenoprof_source_status(source, &status));
    lost = status.counters.lost[XENOPROF_LOST_RING];
    CHECK(lost > 0);
    CHECK_EQ(seen.samples, status.counters.committed);
    CHECK_EQ(status.counters.made, status.counters.committed + lost);
    /* No record follows the last losses, so no LOST record reports them. */
    CHECK(seen.lost > 0 && seen.lost <= lost);
    xenoprof_source_close(source);
    kit_done("reset");
}

TEST(a_closed_ring_is_drained_and_released)
{
    struct xenoprof_source *source = begin();
    struct xenoprof_ring_info info;
    struct drained seen = {0};
    size_t before = xenoprof_source_rings(source), closed = 0;

    run(1000);
    kit_done("forget id=5");
    OK(xenoprof_source_refresh(source));
    CHECK_EQ(xenoprof_source_rings(source), before);
    drain(source, &seen);
    for ( size_t i = before; i--; )
    {
        OK(xenoprof_ring_info(source, i, &info));
        if ( info.state != XENOPROF_RING_CLOSED )
            continue;
        closed++;
        CHECK_EQ(info.domain, 5);
        CHECK_EQ(info.released, info.producer);
        CHECK_EQ(kit_command("release ring=%u", info.ring), 0);
    }
    CHECK(closed > 0);
    run(10);
    OK(xenoprof_source_refresh(source));
    CHECK_EQ(xenoprof_source_rings(source), before - closed);
    xenoprof_source_close(source);
    kit_done("stop");
    kit_done("reset");
}
