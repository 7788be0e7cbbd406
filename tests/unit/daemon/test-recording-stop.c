/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "control/session-folders.h"
#include "daemon/recording-work.h"
#include "recording-kit.h"

#define OPTIONS " frequency=100 passive-domains=5 stacks=kernel"

static struct recording_kit kit;

/* Sampling goes on, and samples of domain 5 wait for its kernel. */
static void begin(const char *options)
{
    kit_begin(&kit);
    CHECK_EQ(kit_start(&kit, options), 0);
    kit_search_begins(&kit.recording);
    kit_pass(&kit, 300 * MILLISECONDS);
    CHECK_EQ(kit.recording.state, RECORDING_RUNNING);
}

static void check_stopped(void)
{
    struct kit_content content;

    CHECK_EQ(kit.recording.state, RECORDING_STOPPED);
    kit_check_totals(&kit);
    kit_read_session(&kit, SESSION_CURRENT, &content);
    CHECK(content.closed);
}

static uint64_t waiting(void)
{
    struct spool_waiting waiting;

    drain_waiting(&kit.recording.drain, &waiting);
    CHECK_EQ(waiting.guests, waiting.samples > 0);
    CHECK(!waiting.samples == !waiting.bytes);
    return waiting.samples;
}

static uint64_t made(void)
{
    struct account_totals totals;

    accounts_total(&kit.recording.drain.accounts, &totals);
    return totals.made;
}

static void poll_once(void)
{
    CHECK_EQ(recording_poll(&kit.recording, &kit.failure), 0);
}

/* Nothing waits: one round is enough. */
TEST(stop_without_a_search)
{
    kit_begin(&kit);
    kit_run(&kit, OPTIONS);
    kit_pass(&kit, 300 * MILLISECONDS);
    recording_stop(&kit.recording);
    CHECK_EQ(kit.recording.state, RECORDING_STOPPING);
    CHECK(recording_is_open(&kit.recording));
    poll_once();
    check_stopped();
    CHECK(!recording_is_open(&kit.recording));
    kit_end(&kit);
}

TEST(stop_waits_for_a_kernel)
{
    struct xenoprof_door_state state;
    uint64_t all;

    begin(OPTIONS);
    CHECK(waiting() > 20);
    recording_stop(&kit.recording);
    core_door_state(&state);
    CHECK_EQ(state.state, XENOPROF_STATE_STOPPED);
    poll_once();
    all = made();
    kit_pass(&kit, 300 * MILLISECONDS);
    CHECK_EQ(kit.recording.state, RECORDING_STOPPING);
    CHECK_EQ(made(), all);
    CHECK(waiting() > 20);
    kit_search_ends(&kit.recording);
    poll_once();
    check_stopped();
    CHECK_EQ(made(), all);
    CHECK_EQ(waiting(), 0);
    kit_end(&kit);
}

/* Else a stop that waits, on a slow machine, has samples stand for more time
 * than they were taken in, and a session's last seconds are empty. */
TEST(stop_ends_the_sessions_time)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    unsigned int idle = 0, utc = 0;
    uint64_t end;
    char path[128];

    begin(OPTIONS);
    process_run_until(process_now() + 5 * MILLISECONDS);
    recording_stop(&kit.recording);
    end = process_now();
    poll_once();
    kit_pass(&kit, 3000 * MILLISECONDS);
    CHECK_EQ(kit.recording.state, RECORDING_STOPPING);
    kit_search_ends(&kit.recording);
    poll_once();
    check_stopped();
    snprintf(path, sizeof(path), "%s/" SESSION_CURRENT, kit.dir);
    CHECK_EQ(xenoprof_session_open(kit.handle, path, &session), XENOPROF_OK);
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
    {
        CHECK(item.time <= end);
        idle += item.kind == XENOPROF_ITEM_IDLE && item.time == end;
        utc += item.kind == XENOPROF_ITEM_ATTRIBUTE && item.time == end;
    }
    xenoprof_session_close(session);
    CHECK(idle >= 2); /* of each pCPU */
    CHECK(utc);
    kit_end(&kit);
}

/* The chains say that their kernel was not found in time. */
TEST(stop_does_not_wait_for_ever)
{
    struct kit_content content;
    uint64_t left, waited;

    begin(OPTIONS);
    waited = waiting();
    recording_stop(&kit.recording);
    left = kit.recording.deadline - monotonic_now();
    CHECK(left <= RECORDING_STOP_PATIENCE);
    CHECK(left > RECORDING_STOP_PATIENCE / 2);
    poll_once();
    CHECK_EQ(kit.recording.state, RECORDING_STOPPING);
    kit.recording.deadline = monotonic_now();
    poll_once();
    check_stopped();
    kit_read_session(&kit, SESSION_CURRENT, &content);
    CHECK(waited > 20);
    CHECK(content.ends[XENOPROF_ENDED_SEARCH] >= waited);
    kit_end(&kit);
}

/* Polls when a stop would soon wait no longer.  Returns whether it waits on. */
static bool waits_on(void)
{
    kit.recording.deadline = monotonic_now() + 5000 * MILLISECONDS;
    poll_once();
    return kit.recording.deadline >
           monotonic_now() + RECORDING_STOP_PATIENCE - 5000 * MILLISECONDS;
}

static struct guest_account *account_of_domain_5(void)
{
    uint8_t uuid[16];
    struct guest *guest;

    memset(uuid, 5, sizeof(uuid));
    guest = guests_known(kit.recording.guests, 5, uuid);
    CHECK(guest);
    return guests_account(kit.recording.guests, guest);
}

/* Where dom0 has little of a processor a search takes minutes; but no guest has
 * a stop wait by what its processes do for ever. */
TEST(stop_waits_while_a_guest_is_worked_on)
{
    const uint64_t step = 250 * MILLISECONDS;
    unsigned int times = 0;

    begin(OPTIONS);
    account_of_domain_5()->cpu += GUEST_STOP_WORK;
    recording_stop(&kit.recording);
    poll_once();
    CHECK(!waits_on());
    account_of_domain_5()->cpu += step / 2;
    CHECK(!waits_on());
    account_of_domain_5()->cpu += step / 2;
    CHECK(waits_on());
    CHECK(!waits_on());
    for ( unsigned int i = 0; i < 60; i++ )
    {
        account_of_domain_5()->cpu += step;
        times += waits_on();
    }
    CHECK_EQ(times, GUEST_STOP_WORK / step - 1);
    CHECK_EQ(kit.recording.state, RECORDING_STOPPING);
    kit.recording.deadline = monotonic_now();
    poll_once();
    check_stopped();
    kit_end(&kit);
}

/* A sample now and then is not enough. */
TEST(stop_waits_while_samples_are_stored)
{
    struct stop_progress *last = &kit.recording.stop_progress;

    begin(OPTIONS);
    recording_stop(&kit.recording);
    poll_once();
    poll_once();
    CHECK_EQ(last->samples, waiting());
    CHECK(last->step > 1 && last->step < waiting() / 8);
    last->samples = waiting() + last->step - 1;
    CHECK(!waits_on());
    last->samples++;
    CHECK(waits_on());
    CHECK_EQ(last->samples, waiting());
    kit_search_ends(&kit.recording);
    poll_once();
    check_stopped();
    kit_end(&kit);
}

TEST(stop_does_not_wait_for_ever_for_what_comes_forth)
{
    begin(OPTIONS);
    recording_stop(&kit.recording);
    poll_once();
    CHECK(kit.recording.stop_progress.end >
          monotonic_now() + RECORDING_STOP_MAX / 2);
    kit.recording.stop_progress.end = monotonic_now();
    account_of_domain_5()->cpu += GUEST_STOP_WORK;
    poll_once();
    check_stopped();
    kit_end(&kit);
}

TEST(stop_at_once)
{
    struct kit_content content;

    begin(OPTIONS);
    CHECK(waiting() > 20);
    CHECK_EQ(recording_stop_now(&kit.recording, &kit.failure), 0);
    check_stopped();
    kit_read_session(&kit, SESSION_CURRENT, &content);
    CHECK(content.ends[XENOPROF_ENDED_SEARCH] > 20);
    /* There is nothing that it could do now. */
    CHECK_EQ(recording_stop_now(&kit.recording, &kit.failure), 0);
    check_stopped();
    kit_end(&kit);
}

/* Who asks again does not wait longer. */
TEST(stop_that_is_asked_for_twice)
{
    uint64_t deadline;

    begin(OPTIONS);
    recording_stop(&kit.recording);
    deadline = kit.recording.deadline;
    poll_once();
    recording_stop(&kit.recording);
    CHECK_EQ(kit.recording.state, RECORDING_STOPPING);
    CHECK_EQ(kit.recording.deadline, deadline);
    CHECK_EQ(recording_stop_now(&kit.recording, &kit.failure), 0);
    check_stopped();
    recording_stop(&kit.recording);
    CHECK_EQ(kit.recording.state, RECORDING_STOPPED);
    kit_end(&kit);
}

TEST(stop_of_what_is_starting)
{
    kit_begin(&kit);
    CHECK_EQ(kit_start(&kit, OPTIONS), 0);
    recording_stop(&kit.recording);
    CHECK_EQ(kit.recording.state, RECORDING_NONE);
    CHECK(!session_exists(kit.dir, SESSION_STARTING));
    CHECK_EQ(kit_start(&kit, OPTIONS), 0);
    CHECK_EQ(recording_stop_now(&kit.recording, &kit.failure), 0);
    CHECK_EQ(kit.recording.state, RECORDING_NONE);
    kit_end(&kit);
}

TEST(stop_by_duration_waits_for_a_kernel)
{
    begin(OPTIONS " duration=60");
    kit.recording.deadline = monotonic_now();
    kit_pass(&kit, 50 * MILLISECONDS);
    CHECK_EQ(kit.recording.state, RECORDING_STOPPING);
    CHECK(kit.recording.deadline > monotonic_now());
    kit_search_ends(&kit.recording);
    poll_once();
    check_stopped();
    kit_end(&kit);
}

/* --reset drops it, and nothing begins anew: sampling was to end. */
TEST(stop_that_a_reset_overtakes)
{
    struct xenoprof_door_state state;

    begin(OPTIONS);
    recording_stop(&kit.recording);
    poll_once();
    CHECK_EQ(recording_reset(&kit.recording, &kit.failure), 0);
    CHECK_EQ(kit.recording.state, RECORDING_NONE);
    CHECK(!session_exists(kit.dir, SESSION_CURRENT));
    core_door_state(&state);
    CHECK_EQ(state.state, XENOPROF_STATE_LOADED);
    kit_run(&kit, OPTIONS);
    kit_end(&kit);
}

/* The next daemon ends what the first had begun; what waited is lost. */
TEST(stop_of_a_daemon_that_is_killed)
{
    struct account_totals totals;
    uint64_t held;

    begin(OPTIONS);
    recording_stop(&kit.recording);
    poll_once();
    held = waiting();
    CHECK(held > 20);
    CHECK_EQ(drain_flush(&kit.recording.drain, NULL), XENOPROF_OK);
    kit_kill(&kit);
    CHECK(recording_adopt(&kit.recording, kit.dir));
    CHECK_EQ(kit.recording.state, RECORDING_STOPPING);
    while ( kit.recording.state == RECORDING_STOPPING )
        poll_once();
    check_stopped();
    accounts_total(&kit.recording.drain.accounts, &totals);
    CHECK_EQ(totals.lost, held);
    kit_end(&kit);
}

TEST(stop_when_the_module_is_unloaded_under_it)
{
    begin(OPTIONS);
    recording_stop(&kit.recording);
    poll_once();
    core_unload();
    /* No sample comes any more; the search has most of its time left. */
    while ( monotonic_now() < kit.recording.commit_deadline )
        kit_pass(&kit, 10 * MILLISECONDS);
    CHECK_EQ(kit.recording.state, RECORDING_STOPPING);
    kit_search_ends(&kit.recording);
    poll_once();
    check_stopped();
    kit_end(&kit);
}

/* What cannot be stored does not keep a stop waiting. */
TEST(stop_on_a_full_disk)
{
    struct rlimit limit, small = {.rlim_cur = 512};
    struct account_totals totals;

    begin(OPTIONS);
    recording_stop(&kit.recording);
    signal(SIGXFSZ, SIG_IGN);
    CHECK_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small.rlim_max = limit.rlim_max;
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    kit.recording.next_block = 0;
    CHECK(recording_poll(&kit.recording, &kit.failure));
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    CHECK_EQ(kit.recording.state, RECORDING_STOPPED);
    CHECK(kit.recording.trouble[0]);
    accounts_total(&kit.recording.drain.accounts, &totals);
    CHECK_EQ(totals.made, totals.read + totals.lost);
    CHECK(totals.lost_by_cause[XENOPROF_LOST_DAEMON] > 20);
    kit_end(&kit);
}

/* A walker that is asked and never answers: the other end of its socket. */
static int mute = -1;

static bool make_mute(void *self, const struct process_order *order, int socket,
                      uint32_t *number)
{
    (void)self;
    (void)order;
    *number = 1;
    if ( mute < 0 )
        mute = dup(socket);
    return mute >= 0;
}

static void end_mute(void *self, uint32_t number)
{
    (void)self;
    (void)number;
    close(mute);
    mute = -1;
}

static bool mute_is_asked(void)
{
    char word;

    return recv(mute, &word, sizeof(word), MSG_DONTWAIT | MSG_PEEK) > 0;
}

/* Samples of domain 5, whose kernel is known, gather in its walker's batch. */
static void begin_mute(void)
{
    static const struct process_maker maker = {make_mute, end_mute, NULL, NULL};
    struct guest *guest;
    uint8_t uuid[16];
    const struct guest_sample sample = {.domain = 5, .uuid = uuid};

    kit_begin(&kit);
    CHECK_EQ(kit_start(&kit, OPTIONS), 0);
    kit_search_begins(&kit.recording);
    kit_search_ends(&kit.recording);
    memset(uuid, 5, sizeof(uuid));
    kit.recording.guests->maker = &maker;
    guest = guests_find(kit.recording.guests, &sample);
    guest->state = GUEST_KNOWN;
    guest->tables.frame_pointers = true;
    kit_pass(&kit, 100 * MILLISECONDS);
    CHECK_EQ(kit.recording.state, RECORDING_RUNNING);
    CHECK(waiting() > 3);
    CHECK(mute >= 0 && !mute_is_asked());
}

/* No sample comes any more that their batch could wait for. */
TEST(stop_asks_walkers_at_once)
{
    begin_mute();
    recording_stop(&kit.recording);
    poll_once();
    CHECK_EQ(kit.recording.state, RECORDING_STOPPING);
    CHECK(mute_is_asked());
    CHECK_EQ(recording_stop_now(&kit.recording, &kit.failure), 0);
    check_stopped();
    kit_end(&kit);
}

/* It said how long it would wait, and adds little to that. */
TEST(stop_that_waited_ends_soon)
{
    uint64_t began;

    begin_mute();
    recording_stop(&kit.recording);
    poll_once();
    kit.recording.deadline = began = monotonic_now();
    poll_once();
    check_stopped();
    CHECK(monotonic_now() - began < RECORDING_PATIENCE);
    kit_end(&kit);
}

/* Who wants what there is and goes on has time for answers. */
TEST(stop_is_in_more_hurry_than_a_dump)
{
    uint64_t began;

    begin_mute();
    began = monotonic_now();
    CHECK_EQ(recording_dump(&kit.recording, &kit.failure), 0);
    CHECK(kit.recording.drain.hurry_end > began + 2000 * MILLISECONDS);
    CHECK(monotonic_now() < began + RECORDING_PATIENCE);
    CHECK_EQ(recording_stop_now(&kit.recording, &kit.failure), 0);
    check_stopped();
    CHECK(kit.recording.drain.hurry_end <=
          monotonic_now() + 500 * MILLISECONDS);
    kit_end(&kit);
}
