/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording that meets a full disk, a ring of nonsense, a module that is
 * gone. */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "control/session-folders.h"
#include "daemon/recording-work.h"
#include "hypervisor/lifecycle.h"
#include "recording-kit.h"

static struct recording_kit kit;

/* A page of a ring's data is overwritten, as only a bug could. */
static void spoil_ring(uint16_t domain, uint16_t vcpu)
{
    for ( size_t i = 0; i < xenoprof_source_rings(kit.recording.source); i++ )
    {
        struct xenoprof_ring_info info;
        const struct xenoprof_status_page *status;
        const uint64_t *table;
        struct xenoprof_ring_page *page;
        struct xenoprof_door_state state;

        CHECK_EQ(xenoprof_ring_info(kit.recording.source, i, &info), 0);
        if ( info.kind != XENOPROF_RING_VCPU || info.domain != domain ||
             info.vcpu != vcpu )
            continue;
        core_door_state(&state);
        status = process_page(state.status_mfn);
        table = process_page(status->table_mfn[info.ring / 512]);
        page = process_page(table[info.ring % 512]);
        for ( unsigned int p = 0; p < page->data_pages; p++ )
            memset(process_page(page->data_mfn[p]), 0xee, XENOPROF_PAGE_SIZE);
        return;
    }
    test_fail(__FILE__, __LINE__, "no ring of domain %u, vCPU %u", domain,
              vcpu);
}

TEST(recording_ring_full_of_nonsense)
{
    kit_begin(&kit);
    kit_run(&kit, " frequency=500 passive-domains=5");
    kit_pass(&kit, 300 * MILLISECONDS);
    process_run_until(process_now() + 100 * MILLISECONDS);
    spoil_ring(5, 1);
    kit_pass(&kit, 300 * MILLISECONDS);
    CHECK_EQ(kit.recording.state, RECORDING_RUNNING);
    CHECK_EQ(kit_finish(&kit), 0);
    CHECK(kit_totals(&kit).lost_by_cause[XENOPROF_LOST_DAEMON] > 0);
    CHECK(kit_totals(&kit).read > 0);
    kit_check_totals(&kit);
    kit_end(&kit);
}

/* Files may not grow any more, as on a full disk. */
TEST(recording_on_a_full_disk)
{
    struct rlimit limit, small = {.rlim_cur = 512};
    struct account_totals sums;
    struct kit_content content;

    kit_begin(&kit);
    kit_run(&kit, " frequency=500");
    kit_pass(&kit, 200 * MILLISECONDS);
    CHECK_EQ(recording_dump(&kit.recording, &kit.failure), 0);
    signal(SIGXFSZ, SIG_IGN);
    CHECK_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small.rlim_max = limit.rlim_max;
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    kit.recording.next_block = 0; /* little of our own clock goes by */
    kit_pass(&kit, 1500 * MILLISECONDS);
    CHECK_EQ(lifecycle_state(), XENOPROF_STATE_STOPPED);
    kit_finish(&kit);
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    CHECK_EQ(kit.recording.state, RECORDING_STOPPED);
    CHECK(kit.recording.trouble[0]);
    sums = kit_totals(&kit);
    CHECK_EQ(sums.made, sums.read + sums.lost);
    CHECK(sums.lost_by_cause[XENOPROF_LOST_DAEMON] > 0);
    kit_read_session(&kit, SESSION_CURRENT, &content);
    CHECK_EQ(content.samples, sums.read);
    kit_end(&kit);
}

/* Xen's counters are read now and then, so some samples are newer. */
TEST(recording_when_the_module_is_unloaded_under_it)
{
    struct kit_content content;

    kit_begin(&kit);
    kit_run(&kit, " frequency=200");
    kit_pass(&kit, 200 * MILLISECONDS);
    core_unload();
    kit_pass(&kit, 1500 * MILLISECONDS);
    CHECK_EQ(kit.recording.state, RECORDING_STOPPED);
    CHECK(strstr(kit.recording.trouble, "unloaded"));
    kit_check_totals(&kit);
    kit_read_session(&kit, "current", &content);
    CHECK(content.made > 20);
    CHECK(content.counted + 10 > content.made);
    kit_end(&kit);
}

/* An NMI came to a pCPU that has not passed the scheduler since. */
TEST(sample_that_is_queued_when_the_module_is_unloaded_is_lost)
{
    struct kit_content content;
    struct account_totals sums;

    kit_begin(&kit);
    kit_run(&kit, " frequency=200");
    kit_pass(&kit, 200 * MILLISECONDS);
    process_pcpu(1)->hold_softirqs = true;
    kit_pass(&kit, 10 * MILLISECONDS);
    core_unload();
    process_pcpu(1)->hold_softirqs = false;
    kit_pass(&kit, 1500 * MILLISECONDS);
    CHECK_EQ(kit.recording.state, RECORDING_STOPPED);
    sums = kit_totals(&kit);
    CHECK(sums.lost_by_cause[XENOPROF_LOST_QUEUE] > 0);
    kit_read_session(&kit, "current", &content);
    CHECK_EQ(content.made, sums.made);
    CHECK_EQ(content.counted, sums.made);
    kit_end(&kit);
}

TEST(recording_whose_searches_cannot_begin)
{
    kit_begin(&kit);
    kit_run(&kit, " frequency=200");
    CHECK_TEXT(kit.recording.trouble, "");
    kit.recording.guests->stillborn = 2;
    kit_pass(&kit, 100 * MILLISECONDS);
    CHECK(strstr(kit.recording.trouble, "xenoprof-search ends before it"));
    kit_end(&kit);
}

static bool make_none(void *self, const struct process_order *order, int socket,
                      uint32_t *number)
{
    (void)self;
    (void)order;
    (void)socket;
    (void)number;
    return false;
}

/* It has work only where a guest has an agent, or a root. */
TEST(recording_whose_porter_has_ended)
{
    static const struct process_maker relays = {.make = make_none};

    kit_begin(&kit);
    kit.xen.relays = &relays;
    kit.xen.porter_gone = true;
    kit_run(&kit, " frequency=200 passive-domains=5");
    kit_pass(&kit, 100 * MILLISECONDS);
    CHECK_TEXT(kit.recording.trouble, "");
    CHECK_EQ(kit_finish(&kit), 0);
    kit_run(&kit, " frequency=200 active-domains=5");
    kit_pass(&kit, 100 * MILLISECONDS);
    CHECK(strstr(kit.recording.trouble, "xenoprof-porter has ended"));
    kit_end(&kit);
}

TEST(recording_ring_that_xen_stopped)
{
    struct xenoprof_index_page *index;
    struct xenoprof_door_state state;
    const struct xenoprof_status_page *status;

    kit_begin(&kit);
    kit_run(&kit, " frequency=500");
    core_door_state(&state);
    status = process_page(state.status_mfn);
    index = process_page(status->index_mfn[0]);
    /* All consumer indices, far ahead of what was produced. */
    for ( unsigned int slot = 1; slot < 8; slot++ )
        index->slot[slot] = 1ull << 40;
    process_run_until(process_now() + 100 * MILLISECONDS);
    kit_pass(&kit, 100 * MILLISECONDS);
    CHECK(strstr(kit.recording.trouble, "Xen stopped"));
    CHECK_EQ(kit_finish(&kit), 0);
    CHECK(kit_totals(&kit).lost_by_cause[XENOPROF_LOST_STOPPED] > 0);
    kit_check_totals(&kit);
    kit_end(&kit);
}
