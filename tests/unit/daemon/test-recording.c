/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "control/session-folders.h"
#include "base/clock.h"
#include "daemon/recording-work.h"
#include "hypervisor/session.h"
#include "libxenoprof/session/session-block.h"
#include "recording-kit.h"

static struct recording_kit kit;

/* As if the daemon had been killed before its second block. */
static void cut_to_first_block(void)
{
    struct session_file_header file;
    struct session_block_header block;
    char path[128];
    FILE *data;

    snprintf(path, sizeof(path), "%s/%s/DATA.0000", kit.dir, SESSION_STARTING);
    data = fopen(path, "re");
    CHECK(data);
    CHECK_EQ(fread(&file, sizeof(file), 1, data), 1);
    CHECK_EQ(fread(&block, sizeof(block), 1, data), 1);
    fclose(data);
    CHECK_EQ(truncate(path, (off_t)(sizeof(file) + sizeof(block) +
                                    session_block_size(&block))),
             0);
}

TEST(recording_from_start_to_stop)
{
    struct kit_content content;

    kit_begin(&kit);
    kit_run(&kit, " frequency=100 passive-domains=5");
    kit_pass(&kit, 2000 * MILLISECONDS);
    CHECK_EQ(kit_finish(&kit), 0);
    CHECK_EQ(kit.recording.state, RECORDING_STOPPED);
    kit_check_totals(&kit);
    CHECK(kit_totals(&kit).read > 300);
    kit_read_session(&kit, SESSION_CURRENT, &content);
    CHECK(content.closed);
    /* Of dom0, whose frame lies below Xen's do_work(). */
    CHECK_TEXT(content.symbol, "kernel_start");
    kit_end(&kit);
}

/* A first sample in an interrupt has the stack below, too. */
TEST(stacks_are_linked_before_the_first_sample)
{
    kit_begin(&kit);
    CHECK_EQ(kit_start(&kit, " frequency=100 passive-domains=5"), 0);
    CHECK_EQ(kit_links_at_start(), 2);
    CHECK_EQ(kit_finish(&kit), 0);
    kit_end(&kit);
}

/* Xen's time puts info and Xen's account of idle time beside the samples; a
 * time of 0 moved the whole session in UTC. */
TEST(recording_tells_facts_and_idle_at_xens_time)
{
    uint64_t begin, end;
    unsigned int info = 0, idle = 0;
    struct xenoprof_session *session;
    struct xenoprof_item item;
    char path[128];

    kit_begin(&kit);
    begin = process_now();
    kit_run(&kit, " frequency=100");
    kit_pass(&kit, 2000 * MILLISECONDS);
    CHECK_EQ(kit_finish(&kit), 0);
    end = process_now();
    snprintf(path, sizeof(path), "%s/" SESSION_CURRENT, kit.dir);
    CHECK_EQ(xenoprof_session_open(kit.handle, path, &session), XENOPROF_OK);
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
    {
        if ( item.kind != XENOPROF_ITEM_ATTRIBUTE &&
             item.kind != XENOPROF_ITEM_IDLE )
            continue;
        CHECK(item.time && item.time >= begin && item.time <= end);
        *(item.kind == XENOPROF_ITEM_ATTRIBUTE ? &info : &idle) += 1;
    }
    xenoprof_session_close(session);
    CHECK(info > 5);
    CHECK(idle >= 4);
    kit_end(&kit);
}

TEST(recording_needs_a_domain_that_exists)
{
    kit_begin(&kit);
    CHECK_EQ(kit_start(&kit, " passive-domains=6"), STATUS_NO_DOMAIN);
    CHECK_EQ(kit.recording.state, RECORDING_NONE);
    CHECK(!session_exists(kit.dir, SESSION_CURRENT));
    kit_end(&kit);
}

/* What the module was told of a domain. */
static enum domain_kind kind_of(uint16_t id)
{
    const struct domain *domain = domains_find(&session_current()->domains, id);

    CHECK(domain);
    return domain->kind;
}

/* The module reads stacks of processes where somebody can make something of
 * them. */
TEST(recording_of_a_guest_root)
{
    kit_begin(&kit);
    CHECK_EQ(kit_start(&kit, " guest-root=5:/mnt"), STATUS_USAGE);
    CHECK(strstr(kit.failure.text, "--passive-domains"));
    CHECK_EQ(kit_start(&kit, " passive-domains=5 guest-root=6:/mnt"),
             STATUS_NO_DOMAIN);
    CHECK_EQ(kit.recording.state, RECORDING_NONE);
    kit_run(&kit, " frequency=100 passive-domains=5");
    CHECK_EQ(kind_of(5), DOMAIN_PASSIVE);
    CHECK_EQ(kit_finish(&kit), 0);
    kit_run(&kit, " frequency=100 passive-domains=5 guest-root=5:/mnt");
    CHECK_EQ(kind_of(5), DOMAIN_ACTIVE);
    CHECK_EQ(kit_finish(&kit), 0);
    kit_end(&kit);
}

TEST(recording_needs_pcpus_that_exist)
{
    kit_begin(&kit);
    CHECK_EQ(kit_start(&kit, " pcpus=0-2"), STATUS_RANGE);
    CHECK_EQ(kit_start(&kit, " cpupool=Pool-9"), STATUS_RANGE);
    kit_run(&kit, " frequency=100 cpupool=Pool-1");
    CHECK_EQ(kit.recording.status.pcpus, 1);
    kit_end(&kit);
}

TEST(recording_without_samples_is_no_recording)
{
    struct xenoprof_door_state state;

    kit_begin(&kit);
    kit_run(&kit, " frequency=100");
    CHECK_EQ(kit_finish(&kit), 0);
    process_pcpu(0)->drop_nmis = process_pcpu(1)->drop_nmis = true;
    CHECK_EQ(kit_start(&kit, " frequency=100"), 0);
    kit_pass(&kit, 100 * MILLISECONDS);
    CHECK_EQ(kit.recording.state, RECORDING_STARTING);
    kit.recording.deadline = 1;
    CHECK_EQ(recording_poll(&kit.recording, &kit.failure), STATUS_NO_SAMPLES);
    recording_abandon_start(&kit.recording);
    /* Earlier sessions are still there, and Xen has none. */
    CHECK(session_exists(kit.dir, SESSION_CURRENT));
    CHECK(!session_exists(kit.dir, SESSION_PREVIOUS));
    CHECK(!session_exists(kit.dir, SESSION_STARTING));
    core_door_state(&state);
    CHECK_EQ(state.state, XENOPROF_STATE_LOADED);
    kit_end(&kit);
}

TEST(recording_slot_taken_by_another)
{
    kit_begin(&kit);
    process_host()->slot = PORT_SLOT_OTHERS;
    CHECK_EQ(kit_start(&kit, " sampler=nmi"), STATUS_BUSY);
    CHECK(strstr(kit.failure.text, "NMI callback"));
    kit_run(&kit, " frequency=100");
    CHECK_EQ(kit.recording.status.sampler, XENOPROF_SAMPLER_TIMER);
    CHECK(strstr(kit.recording.warning, "NMI callback is taken"));
    kit_end(&kit);
}

/* What only the module knows comes from its state. */
static void check_timer_because(const char *words)
{
    CHECK_EQ(kit_start(&kit, " sampler=nmi"), STATUS_REFUSED);
    kit_run(&kit, " frequency=100");
    CHECK_EQ(kit.recording.status.sampler, XENOPROF_SAMPLER_TIMER);
    if ( !strstr(kit.recording.warning, words) )
        test_fail(__FILE__, __LINE__, "no '%s' in: %s", words,
                  kit.recording.warning);
    kit_end(&kit);
}

TEST(recording_says_why_nmis_are_no_good)
{
    kit_begin(&kit);
    process_host()->together = 2;
    check_timer_because("schedules several pCPUs as one");
    kit_begin(&kit);
    process_host()->lacks = XENOPROF_LACK_EXITS;
    check_timer_because("would take them for Xen");
    kit_begin(&kit);
    process_host()->lacks = XENOPROF_LACK_SAFE_NMIS;
    process_host()->watchdog = true;
    check_timer_because("stops this host");
}

/* A word for another guard is not enough. */
TEST(recording_by_nmis_that_may_stop_the_host)
{
    kit_begin(&kit);
    process_host()->lacks = XENOPROF_LACK_SAFE_NMIS;
    kit_run(&kit, " force=frequency,readers,periods");
    CHECK_EQ(kit.recording.status.sampler, XENOPROF_SAMPLER_TIMER);
    kit_finish(&kit);
    kit_run(&kit, " force=nmis sampler=nmi");
    CHECK_EQ(kit.recording.status.sampler, XENOPROF_SAMPLER_NMI);
    kit_end(&kit);
}

/* A pool that is made while NMIs sample; the timer does no harm there. */
TEST(recording_ends_when_pcpus_are_scheduled_as_one)
{
    kit_begin(&kit);
    kit_run(&kit, " frequency=100");
    CHECK_EQ(kit.recording.status.sampler, XENOPROF_SAMPLER_NMI);
    process_host()->together = 2;
    kit_pass(&kit, 100 * MILLISECONDS);
    CHECK(kit.recording.state != RECORDING_RUNNING);
    CHECK(strstr(kit.recording.trouble, "sched-gran"));
    kit_finish(&kit);
    kit_check_totals(&kit);
    kit_run(&kit, " frequency=100");
    CHECK_EQ(kit.recording.status.sampler, XENOPROF_SAMPLER_TIMER);
    kit_pass(&kit, 100 * MILLISECONDS);
    CHECK_EQ(kit.recording.state, RECORDING_RUNNING);
    CHECK_TEXT(kit.recording.trouble, "");
    kit_end(&kit);
}

TEST(recording_says_what_a_large_host_gets)
{
    kit_begin_on(&kit, 64);
    kit_run(&kit, " frequency=781");
    CHECK(!strstr(kit.recording.warning, "times a second"));
    kit_finish(&kit);
    kit_run(&kit, " frequency=1000");
    CHECK(
        strstr(kit.recording.warning,
               "each of 64 pCPUs is sampled 781 times a second, not 1000: all "
               "of them together are at most 50000 times; --pcpus chooses "
               "fewer. "));
    kit_end(&kit);
}

TEST(recording_current_becomes_previous)
{
    struct kit_content first, second;

    kit_begin(&kit);
    kit_run(&kit, " frequency=100");
    kit_finish(&kit);
    kit_read_session(&kit, SESSION_CURRENT, &first);
    kit_run(&kit, " frequency=200");
    CHECK(session_exists(kit.dir, SESSION_PREVIOUS));
    kit_read_session(&kit, SESSION_PREVIOUS, &second);
    CHECK_EQ(first.samples, second.samples);
    CHECK_EQ(first.last_time, second.last_time);
    kit_finish(&kit);
    kit_run(&kit, " frequency=300");
    kit_end(&kit);
}

TEST(recording_goes_on_after_a_kill)
{
    kit_begin(&kit);
    kit_run(&kit, " frequency=200 passive-domains=5");
    for ( int i = 0; i < 20; i++ )
    {
        kit_pass(&kit, 70 * MILLISECONDS);
        if ( i % 3 == 0 )
            CHECK_EQ(recording_dump(&kit.recording, &kit.failure), 0);
        kit_pass(&kit, 30 * MILLISECONDS);
        kit_kill(&kit);
        process_run_until(process_now() + 50 * MILLISECONDS);
        CHECK(recording_adopt(&kit.recording, kit.dir));
    }
    CHECK_TEXT(kit.recording.by, "tester");
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    CHECK_EQ(kit_totals(&kit).lost, 0);
    CHECK(kit_totals(&kit).read > 1000);
    kit_end(&kit);
}

/* The new daemon has no folder of the one that died. */
TEST(recording_of_a_guest_root_goes_on_after_a_kill)
{
    char folder[] = "/tmp/xenoprof-root-XXXXXX", fields[96];

    CHECK(mkdtemp(folder));
    snprintf(fields, sizeof(fields),
             " frequency=200 passive-domains=5 guest-root=5:%s", folder);
    kit_begin(&kit);
    kit_run(&kit, fields);
    CHECK_EQ(kit.recording.options.folders.count, 0); /* nobody gave it */
    kit_kill(&kit);
    CHECK(recording_adopt(&kit.recording, kit.dir));
    CHECK_EQ(kit.recording.options.folders.count, 1);
    CHECK_TEXT(kit.recording.trouble, "");
    kit_kill(&kit);
    CHECK(!rmdir(folder) && !symlink("/", folder));
    CHECK(recording_adopt(&kit.recording, kit.dir));
    CHECK_EQ(kit.recording.options.folders.count, 0);
    CHECK(strstr(kit.recording.trouble, "symbolic link"));
    CHECK_EQ(kit_finish(&kit), 0);
    kit_end(&kit);
    unlink(folder);
}

TEST(recording_that_was_starting_goes_on_after_a_kill)
{
    struct kit_content content;

    kit_begin(&kit);
    kit_run(&kit, " frequency=100");
    CHECK_EQ(kit_finish(&kit), 0);
    CHECK_EQ(kit_start(&kit, " frequency=200"), 0);
    CHECK_EQ(kit.recording.state, RECORDING_STARTING);
    kit_kill(&kit);
    process_run_until(process_now() + 100 * MILLISECONDS);
    CHECK(recording_adopt(&kit.recording, kit.dir));
    CHECK_EQ(kit.recording.state, RECORDING_RUNNING);
    CHECK_EQ(kit.recording.options.frequency, 200);
    kit_pass(&kit, 100 * MILLISECONDS);
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    CHECK_EQ(kit_totals(&kit).lost, 0);
    CHECK(kit_totals(&kit).read > 20);
    kit_read_session(&kit, "previous", &content);
    CHECK(content.closed);
    kit_end(&kit);
}

TEST(recording_killed_as_xen_began_to_sample_goes_on)
{
    kit_begin(&kit);
    CHECK_EQ(kit_start(&kit, " frequency=200"), 0);
    /* What the first block after the start of sampling says is not there. */
    xenoprof_writer_destroy(kit.recording.writer);
    kit.recording.writer = NULL;
    cut_to_first_block();
    kit_kill(&kit);
    process_run_until(process_now() + 100 * MILLISECONDS);
    CHECK(recording_adopt(&kit.recording, kit.dir));
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    kit_end(&kit);
}

TEST(recording_killed_between_two_renames_goes_on)
{
    char from[128], to[128];

    kit_begin(&kit);
    kit_run(&kit, " frequency=200");
    snprintf(from, sizeof(from), "%s/%s", kit.dir, SESSION_CURRENT);
    snprintf(to, sizeof(to), "%s/%s", kit.dir, SESSION_STARTING);
    CHECK_EQ(rename(from, to), 0);
    kit_kill(&kit);
    CHECK(recording_adopt(&kit.recording, kit.dir));
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    kit_end(&kit);
}

TEST(recording_ends_by_xens_clock_after_a_kill)
{
    uint64_t left;

    kit_begin(&kit);
    kit_run(&kit, " frequency=50 duration=60 lease=0");
    kit_kill(&kit);
    /* Half a minute of Xen's time passes, and hardly any of dom0's. */
    process_run_until(process_now() + 30000 * MILLISECONDS);
    CHECK(recording_adopt(&kit.recording, kit.dir));
    left = kit.recording.deadline - monotonic_now();
    CHECK(left <= 30000 * MILLISECONDS);
    CHECK(left > 20000 * MILLISECONDS);
    kit_end(&kit);
}

/* made = kept + expired + lost, in the daemon and on disk. */
TEST(recording_of_a_largest_size_counts_what_it_drops)
{
    struct kit_content content;

    kit_begin(&kit);
    kit_run(&kit, " frequency=200 max-size=8");
    xenoprof_writer_max_size(kit.recording.writer, 16384);
    for ( unsigned int i = 0; i < 60; i++ )
    {
        kit_pass(&kit, 100 * MILLISECONDS);
        CHECK_EQ(recording_dump(&kit.recording, &kit.failure), 0);
    }
    CHECK_EQ(kit_finish(&kit), 0);
    kit_read_session(&kit, SESSION_CURRENT, &content);
    CHECK(kit.recording.expired > 100);
    CHECK(content.samples > 0);
    CHECK_EQ(content.samples + kit.recording.expired, kit_totals(&kit).read);
    CHECK_EQ(content.expired, kit.recording.expired);
    CHECK_EQ(kit_totals(&kit).made,
             kit_totals(&kit).read + kit_totals(&kit).lost);
    kit_end(&kit);
}

/* The same by age, with a daemon that is killed in between. */
TEST(recording_of_an_age_counts_what_it_drops)
{
    struct kit_content content;

    kit_begin(&kit);
    kit_run(&kit, " frequency=200 max-age=1m lease=0");
    for ( unsigned int i = 0; i < 200; i++ )
    {
        kit_pass(&kit, 1000 * MILLISECONDS);
        CHECK_EQ(recording_dump(&kit.recording, &kit.failure), 0);
        if ( i != 120 )
            continue;
        kit_kill(&kit);
        CHECK(recording_adopt(&kit.recording, kit.dir));
        CHECK_EQ(kit.recording.options.max_age, 60);
    }
    CHECK_EQ(kit_finish(&kit), 0);
    kit_read_session(&kit, SESSION_CURRENT, &content);
    CHECK(kit.recording.expired > kit_totals(&kit).read / 2);
    CHECK(content.samples > kit_totals(&kit).read / 4);
    CHECK_EQ(content.samples + kit.recording.expired, kit_totals(&kit).read);
    CHECK_EQ(content.expired, kit.recording.expired);
    CHECK_EQ(kit_totals(&kit).made,
             kit_totals(&kit).read + kit_totals(&kit).lost);
    kit_end(&kit);
}

/* A block got to disk, but Xen's index did not move: nothing is read twice. */
TEST(recording_seeks_past_a_block_xen_does_not_know)
{
    struct account_totals before;

    kit_begin(&kit);
    kit_run(&kit, " frequency=200");
    CHECK_EQ(recording_dump(&kit.recording, &kit.failure), 0);
    kit_pass(&kit, 200 * MILLISECONDS);
    for ( size_t i = 0; i < xenoprof_source_rings(kit.recording.source); i++ )
    {
        struct xenoprof_ring_info info;

        CHECK_EQ(xenoprof_ring_info(kit.recording.source, i, &info), 0);
        CHECK_EQ(xenoprof_writer_ring(
                     kit.recording.writer, &info,
                     kit.recording.drain.accounts.items[i].read +
                         kit.recording.drain.accounts.items[i].pending,
                     0, 0),
                 0);
    }
    CHECK_EQ(xenoprof_writer_flush(kit.recording.writer), 0);
    kit_kill(&kit);
    CHECK(recording_adopt(&kit.recording, kit.dir));
    CHECK_EQ(recording_dump(&kit.recording, &kit.failure), 0);
    before = kit_totals(&kit);
    CHECK(before.read > 0);
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    kit_end(&kit);
}

TEST(recording_of_another_boot_is_not_taken_up)
{
    kit_begin(&kit);
    kit_run(&kit, " frequency=100");
    kit_kill(&kit);
    strcpy(kit.xen.info.boot, "boot-2");
    CHECK(!recording_adopt(&kit.recording, kit.dir));
    kit_end(&kit);
}

TEST(recording_that_was_closed_is_not_taken_up)
{
    kit_begin(&kit);
    kit_run(&kit, " frequency=100");
    kit_finish(&kit);
    kit_kill(&kit);
    CHECK(!recording_adopt(&kit.recording, kit.dir));
    kit_end(&kit);
}

TEST(recording_lease_that_ran_out_is_taken_up_again)
{
    kit_begin(&kit);
    kit_run(&kit, " frequency=100 lease=1");
    kit_kill(&kit);
    process_run_until(process_now() + 3000 * MILLISECONDS);
    CHECK(recording_adopt(&kit.recording, kit.dir));
    CHECK_EQ(kit.recording.status.state, XENOPROF_STATE_STOPPED);
    kit_pass(&kit, 500 * MILLISECONDS);
    CHECK_EQ(kit.recording.status.state, XENOPROF_STATE_RUNNING);
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    kit_end(&kit);
}

TEST(recording_counts_what_overflowed)
{
    kit_begin(&kit);
    kit_run(&kit, " frequency=1000 ring-size=4 lease=0");
    process_run_until(process_now() + 3000 * MILLISECONDS);
    kit_pass(&kit, 100 * MILLISECONDS);
    CHECK_EQ(kit_finish(&kit), 0);
    CHECK(kit_totals(&kit).lost_by_cause[XENOPROF_LOST_RING] > 0);
    kit_check_totals(&kit);
    kit_end(&kit);
}

/* Samples that are read, or wait to be written. */
static uint64_t taken_from(size_t index)
{
    const struct account *account = &kit.recording.drain.accounts.items[index];

    return account->read + account->pending;
}

/* Samples may come faster than they can be written. */
TEST(recording_of_what_is_there_has_an_end)
{
    enum { PATIENCE = 1000 };
    uint64_t made, all = 0;

    kit_begin(&kit);
    kit_run(&kit, " frequency=1000 passive-domains=5 stacks=none lease=0");
    kit.recording.drain.round = 0;
    process_run_until(process_now() + 150 * MILLISECONDS);
    CHECK_EQ(
        xenoprof_source_status(kit.recording.source, &kit.recording.status),
        XENOPROF_OK);
    made = kit.recording.status.counters.made;
    kit.blocks_busy = PATIENCE;
    CHECK_EQ(recording_work(&kit.recording, true), XENOPROF_OK);
    CHECK(kit.blocks_busy > 0 && kit.blocks_busy < PATIENCE);
    kit.blocks_busy = 0;
    for ( size_t i = 0; i < kit.recording.drain.accounts.count; i++ )
        all += kit.recording.drain.accounts.items[i].read;
    CHECK(all >= made);
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    kit_end(&kit);
}

/* A round that ends in a ring leaves the others to the next one. */
TEST(recording_rounds_begin_after_the_last_ring)
{
    enum { ROUND = 16 }; /* samples between two looks at the clock */
    struct drain *drain = &kit.recording.drain;
    uint64_t before[8], rings;
    bool more;

    kit_begin(&kit);
    kit_run(&kit, " frequency=1000 passive-domains=5 stacks=none lease=0");
    rings = drain->accounts.count;
    CHECK(rings <= 8);
    process_run_until(process_now() + 150 * MILLISECONDS);
    for ( size_t i = 0; i < rings; i++ )
        before[i] = taken_from(i);
    drain->round = 0;
    for ( int i = 0; i < 2; i++ )
    {
        CHECK_EQ(drain_read(drain, &more), XENOPROF_OK);
        CHECK(more);
    }
    for ( size_t i = 0; i < rings; i++ )
    {
        const struct xenoprof_ring_info *info = &drain->accounts.items[i].info;
        uint64_t taken = taken_from(i) - before[i];

        if ( info->kind == XENOPROF_RING_VCPU && info->made - before[i] )
            CHECK_EQ(taken, ROUND);
        else
            CHECK(taken == 0);
    }
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    kit_end(&kit);
}

TEST(recording_follows_a_name)
{
    kit_begin(&kit);
    kit_run(&kit, " frequency=200 passive-domains=db");
    kit_pass(&kit, 200 * MILLISECONDS);
    /* The guest reboots: another number, the same name. */
    process_set_current(1, 7, 1);
    kit.domains[1].id = 7;
    memset(kit.domains[1].uuid, 7, 16);
    kit_pass(&kit, 1500 * MILLISECONDS);
    CHECK(domain_names_find(&kit.recording.names, 7, NULL));
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    CHECK_EQ(kit_totals(&kit).rings, 2 + 2 + 2 + 2);
    kit_end(&kit);
}

TEST(recording_an_id_ends_with_its_domain)
{
    kit_begin(&kit);
    kit_run(&kit, " frequency=200 passive-domains=5");
    process_set_idle(1);
    kit.domain_count = 1;
    kit_pass(&kit, 1500 * MILLISECONDS);
    kit.domain_count = 2;
    memset(kit.domains[1].uuid, 55, 16);
    process_set_uuid(5, kit.domains[1].uuid);
    process_set_current(1, 5, 1);
    kit_pass(&kit, 1500 * MILLISECONDS);
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    CHECK_EQ(kit_totals(&kit).rings, 2 + 2 + 2);
    kit_end(&kit);
}

TEST(recording_all_follows_new_domains)
{
    kit_begin(&kit);
    kit.domain_count = 1;
    kit_run(&kit, " frequency=200 passive-domains=all");
    kit.domain_count = 2;
    kit_pass(&kit, 1500 * MILLISECONDS);
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    CHECK_EQ(kit_totals(&kit).rings, 2 + 2 + 2);
    kit_end(&kit);
}

TEST(recording_reset_begins_anew)
{
    struct kit_content content;

    kit_begin(&kit);
    kit_run(&kit, " frequency=200");
    kit_pass(&kit, 500 * MILLISECONDS);
    CHECK_EQ(recording_reset(&kit.recording, &kit.failure), 0);
    CHECK_EQ(kit.recording.state, RECORDING_STARTING);
    CHECK_TEXT(kit.recording.by, "tester");
    kit_pass(&kit, 100 * MILLISECONDS);
    CHECK_EQ(kit.recording.state, RECORDING_RUNNING);
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    kit_read_session(&kit, SESSION_CURRENT, &content);
    CHECK(content.samples < 60);
    CHECK(!session_exists(kit.dir, SESSION_PREVIOUS));
    CHECK_EQ(recording_reset(&kit.recording, &kit.failure), 0);
    CHECK(!session_exists(kit.dir, SESSION_CURRENT));
    kit_end(&kit);
}

TEST(recording_saved_while_it_runs)
{
    struct kit_content saved, now;

    kit_begin(&kit);
    kit_run(&kit, " frequency=200");
    kit_pass(&kit, 300 * MILLISECONDS);
    CHECK_EQ(recording_save(&kit.recording, "one", &kit.failure), 0);
    CHECK_EQ(recording_save(&kit.recording, "one", &kit.failure),
             STATUS_SESSION_EXISTS);
    kit_read_session(&kit, "one", &saved);
    CHECK_EQ(saved.samples, kit_totals(&kit).read);
    CHECK_EQ(saved.made, saved.read + saved.lost);
    kit_pass(&kit, 300 * MILLISECONDS);
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    kit_read_session(&kit, "one", &now);
    CHECK_EQ(now.samples, saved.samples);
    CHECK_EQ(recording_save(&kit.recording, "two", &kit.failure), 0);
    kit_read_session(&kit, "two", &now);
    CHECK_EQ(now.samples, kit_totals(&kit).read);
    CHECK(now.closed);
    kit_end(&kit);
}

TEST(recording_stops_after_its_duration)
{
    kit_begin(&kit);
    kit_run(&kit, " frequency=100 duration=60");
    CHECK(kit.recording.deadline > monotonic_now());
    kit.recording.deadline = monotonic_now();
    kit_pass(&kit, 20 * MILLISECONDS);
    CHECK_EQ(kit.recording.state, RECORDING_STOPPED);
    kit_check_totals(&kit);
    kit_end(&kit);
}

TEST(recording_that_cannot_start_keeps_the_last_counters)
{
    struct account_totals before, after;

    kit_begin(&kit);
    kit_run(&kit, " frequency=100");
    CHECK_EQ(kit_finish(&kit), 0);
    before = kit_totals(&kit);
    CHECK_EQ(kit_start(&kit, " passive-domains=nobody"), STATUS_NO_DOMAIN);
    CHECK_EQ(kit_start(&kit, " pcpus=7"), STATUS_RANGE);
    CHECK_EQ(kit_start(&kit, " xen-syms=/nowhere"), STATUS_FAILED);
    after = kit_totals(&kit);
    CHECK_EQ(kit.recording.state, RECORDING_STOPPED);
    CHECK_EQ(after.read, before.read);
    kit_check_totals(&kit);
    kit_end(&kit);
}

/* A kernel module came after the symbols were read. */
TEST(recording_names_a_new_kernel_module)
{
    struct kit_content content;

    kit_begin(&kit);
    process_pcpu(0)->frame.at.mode = XENOPROF_MODE_KERNEL;
    process_pcpu(0)->frame.at.ip = 0xffffffffc1000010ul;
    kit_run(&kit, " frequency=200");
    kit_read_session(&kit, SESSION_CURRENT, &content);
    CHECK_TEXT(content.symbol, "");
    /* While the modules are the same, their symbols are not read again. */
    process_pass(30000 * MILLISECONDS);
    kit_pass(&kit, 300 * MILLISECONDS);
    CHECK_EQ(kit.symbol_reads, 1);
    kit.more_symbols = "ffffffffc1000000 t in_new_module [fresh]\n";
    process_pcpu(0)->frame.at.ip = 0xffffffffc1000020ul;
    process_pass(30000 * MILLISECONDS);
    kit_pass(&kit, 300 * MILLISECONDS);
    CHECK_EQ(kit_finish(&kit), 0);
    kit_read_session(&kit, SESSION_CURRENT, &content);
    CHECK_TEXT(content.symbol, "in_new_module");
    CHECK_EQ(kit.symbol_reads, 2);
    kit_end(&kit);
}

TEST(recording_tells_other_livepatches)
{
    const char *key = "payloads";

    kit_begin(&kit);
    kit_run(&kit, " frequency=100");
    CHECK(!xenoprof_writer_past_attribute(kit.recording.writer, key));
    kit.payloads = "hotfix=above";
    kit.recording.next_list = 0;
    kit_pass(&kit, 2000 * MILLISECONDS);
    CHECK_TEXT(xenoprof_writer_past_attribute(kit.recording.writer, key),
               "hotfix=above");
    kit.payloads = NULL;
    kit.recording.next_list = 0;
    kit_pass(&kit, 2000 * MILLISECONDS);
    CHECK_TEXT(xenoprof_writer_past_attribute(kit.recording.writer, key),
               "none");
    CHECK_EQ(kit_finish(&kit), 0);
    kit_end(&kit);
}
