/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a sample in a guest's kernel to the session: the core on the process
 * port, the daemon, a parser in its sandbox.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "cage/keeper.h"
#include "daemon/parser/process-run.h"
#include "daemon/reply.h"
#include "control/session-folders.h"
#include "guest-kit.h"
#include "tests/unit/daemon/recording-kit.h"
#include "tests/unit/daemon/parser/parser-stub.h"

#define KERNEL 0xffffffff81000000ul
#define STACK  0xffffc90000000000ul
#define FRAME  40u

#define SECONDS 10000000000ull

static struct recording_kit kit;
static struct guest_kit guest;
static struct xen_calls table;
static struct keeper keeper;
static struct process_maker maker;
static uint64_t stack_page[GUEST_PAGE / 8];

/* A search that looks at a kernel which never ends says nothing more: nobody
 * waits for that, but by the clock of this process, which is ahead by so much.
 * (Not clock-kit.c's: that takes a search of a whole kernel for one that burns
 * time.) */
static bool endless, endless_seen;
static uint64_t skipped;

int __real_poll(struct pollfd *ready, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *ready, nfds_t count, int timeout);
int __real_clock_gettime(clockid_t id, struct timespec *ret);
int __wrap_clock_gettime(clockid_t id, struct timespec *ret);

int __wrap_poll(struct pollfd *ready, nfds_t count, int timeout)
{
    int changed;

    if ( !endless_seen || timeout <= 1 )
        return __real_poll(ready, count, timeout);
    changed = __real_poll(ready, count, 1);
    if ( !changed )
        skipped += (uint64_t)(timeout - 1) * MILLISECONDS;
    return changed;
}

int __wrap_clock_gettime(clockid_t id, struct timespec *ret)
{
    int error = __real_clock_gettime(id, ret);

    if ( !error && id == CLOCK_MONOTONIC )
    {
        uint64_t ns = (uint64_t)ret->tv_nsec + skipped;

        ret->tv_sec += (time_t)(ns / 1000000000u);
        ret->tv_nsec = (long)(ns % 1000000000u);
    }
    return error;
}

static size_t read_frames(void *self, uint16_t domain, const uint64_t *frames,
                          size_t count, void *to)
{
    (void)self;
    endless_seen = endless_seen || (domain == 5 && endless);
    return domain == 5
               ? guest.xen.calls->read_frames(&guest, domain, frames, count, to)
               : 0;
}

static const uint8_t *stack_memory(unsigned int pcpu, uint64_t address)
{
    return pcpu == 1 && address / GUEST_PAGE == STACK / GUEST_PAGE
               ? (const uint8_t *)stack_page
               : NULL;
}

/* Domain 5 is always in function 2 of its kernel, called by function 4. */
static void begin(char letter)
{
    struct port_frame *frame;
    struct failure failure;

    signal(SIGPIPE, SIG_IGN);
    endless = letter == 'L';
    endless_seen = false; /* nor do the keeper's processes skip any */
    if ( keeper_start(&keeper, NULL, process_run, &failure) )
        test_fail(__FILE__, __LINE__, "%s", failure.text);
    maker = keeper_maker(&keeper);
    kit_begin(&kit);
    guest_kit_begin(&guest);
    guest.frames[FRAME][0] = (uint8_t)letter;
    table = *kit.xen.calls;
    table.read_frames = read_frames;
    kit.xen.calls = &table;
    kit.xen.maker = &maker;
    stack_page[0] = KERNEL + 0x500;
    process_host()->memory = stack_memory;
    frame = &process_pcpu(1)->frame;
    frame->at = frame->guest = (struct port_state){
        .ip = KERNEL + 0x210,
        .sp = STACK,
        .mode = XENOPROF_MODE_KERNEL,
    };
    frame->complete = true;
    process_pcpu(1)->registers = (struct xenoprof_registers){
        .rsp = STACK,
        .cr3 = guest_kit_map(&guest, KERNEL, FRAME),
    };
}

static void end(void)
{
    kit_end(&kit);
    keeper_stop(&keeper);
}

struct seen {
    unsigned int samples, chains; /* of domain 5; with two frames */
    unsigned int named;           /* whose leaf has its name in the end */
    unsigned int places[1000];    /* samples by place */
    bool names[1000];             /* by place */
    bool chain[1000];             /* by stack */
    unsigned int ends[XENOPROF_ENDS];
    uint64_t last; /* time of the last one of its vCPU 1 */
    char fact[256];
};

static void see(const struct xenoprof_item *item, struct seen *seen)
{
    const struct xenoprof_place *place = &item->u.place.place;

    switch ( item->kind )
    {
    case XENOPROF_ITEM_PLACE:
        CHECK(item->u.place.number < 1000);
        seen->names[item->u.place.number] = place->symbol &&
                                            !strcmp(place->symbol,
                                                    "function_2");
        break;
    case XENOPROF_ITEM_STACK:
        CHECK(item->u.stack.number < 1000);
        seen->chain[item->u.stack.number] = item->u.stack.count == 2;
        break;
    case XENOPROF_ITEM_SAMPLE:
        if ( item->u.sample.domain != 5 )
            break;
        seen->samples++;
        seen->places[item->u.sample.place]++;
        seen->chains += seen->chain[item->u.sample.stack];
        seen->ends[xenoprof_stored_ended(&item->u.sample)]++;
        if ( item->u.sample.vcpu != 1 )
            break;
        CHECK(item->u.sample.time >= seen->last);
        seen->last = item->u.sample.time;
        break;
    case XENOPROF_ITEM_ATTRIBUTE:
        if ( !strcmp(item->u.attribute.key, "guest_kernel_5") )
            snprintf(seen->fact, sizeof(seen->fact), "%s",
                     item->u.attribute.value);
        break;
    default: break;
    }
}

static void read_session(struct seen *seen)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    char path[128];

    *seen = (struct seen){0};
    snprintf(path, sizeof(path), "%s/" SESSION_CURRENT, kit.dir);
    CHECK_EQ(xenoprof_session_open(kit.handle, path, &session), XENOPROF_OK);
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
        see(&item, seen);
    xenoprof_session_close(session);
    for ( size_t i = 0; i < 1000; i++ )
        seen->named += seen->names[i] ? seen->places[i] : 0;
}

static void finish(struct seen *seen)
{
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    read_session(seen);
}

static void record(const char *options, struct seen *seen)
{
    kit_run(&kit, options);
    kit_pass(&kit, 2000 * MILLISECONDS);
    finish(seen);
}

#define OPTIONS " frequency=100 passive-domains=5 stacks=kernel"

TEST(guest_names_and_chains_reach_the_session)
{
    struct seen seen;

    begin('K');
    record(OPTIONS, &seen);
    CHECK(seen.samples > 150);
    CHECK_EQ(seen.named, seen.samples);
    CHECK_EQ(seen.chains, seen.samples);
    CHECK(strstr(seen.fact, "release=6.1.0-stub"));
    end();
}

/* What clocks of its processes say is compared with that. */
TEST(guest_searches_hear_how_long_dom0_ran)
{
    struct seen seen;

    begin('K');
    kit.dom0_ran = 7000 * MILLISECONDS;
    record(OPTIONS, &seen);
    CHECK_EQ(keeper.work.ran, kit.dom0_ran);
    CHECK(keeper.work.spent > 0);
    CHECK(keeper.work.counted > 0);
    end();
}

/* Xen says where domain 5's kernel is, and of nobody else's. */
static int vcpu_kernel(void *self, const struct listed_domain *domain,
                       uint32_t vcpu, struct vcpu_kernel *ret)
{
    (void)self;
    if ( domain->id != 5 || vcpu != 1 )
        return -EAGAIN;
    *ret = (struct vcpu_kernel){.ip = KERNEL + 0x210,
                                .cr3 = guest_kit_map(&guest, KERNEL, FRAME)};
    return 0;
}

static bool xen_samples(void)
{
    struct xenoprof_door_state state;

    core_door_state(&state);
    return state.state == XENOPROF_STATE_RUNNING;
}

/* Starts, and kernels are looked for. */
static void begin_seeking(char letter)
{
    begin(letter);
    table.vcpu_kernel = vcpu_kernel;
    CHECK_EQ(kit_start(&kit, OPTIONS), 0);
    CHECK_EQ(kit.recording.state, RECORDING_STARTING);
    CHECK(kit.recording.seek_end >
          monotonic_now() + RECORDING_SEEK_PATIENCE / 2);
    CHECK_EQ(kit.recording.unfound, 1);
    CHECK(!xen_samples());
}

static const struct guest *guest_5(void)
{
    uint8_t uuid[16];

    memset(uuid, 5, sizeof(uuid));
    return guests_known(kit.recording.guests, 5, uuid);
}

TEST(guest_kernels_are_found_before_sampling)
{
    struct seen seen;

    begin_seeking('P');
    while ( !xen_samples() )
    {
        CHECK_EQ(guest_5()->state, GUEST_SEARCHED);
        CHECK(monotonic_now() < kit.recording.seek_end);
        CHECK_EQ(recording_poll(&kit.recording, &kit.failure), 0);
    }
    CHECK_EQ(guest_5()->state, GUEST_KNOWN);
    CHECK_EQ(kit.recording.state, RECORDING_STARTING);
    CHECK(!strstr(kit.recording.warning, "looked for"));
    kit_pass(&kit, 2000 * MILLISECONDS);
    CHECK_EQ(kit.recording.state, RECORDING_RUNNING);
    finish(&seen);
    CHECK(seen.samples > 150);
    CHECK_EQ(seen.named, seen.samples);
    CHECK_EQ(seen.chains, seen.samples);
    CHECK(strstr(seen.fact, "release=6.1.0-stub"));
    end();
}

/* A guest whose kernel is never found holds up nobody for longer. */
TEST(guest_kernels_that_are_not_found_hold_up_sampling_for_a_while)
{
    struct seen seen;

    begin_seeking('L');
    for ( int i = 0; i < 3; i++ )
        CHECK_EQ(recording_poll(&kit.recording, &kit.failure), 0);
    CHECK(!xen_samples());
    CHECK_EQ(kit.recording.stored_sampler, 0);
    kit.recording.seek_end = monotonic_now();
    CHECK_EQ(recording_poll(&kit.recording, &kit.failure), 0);
    CHECK(xen_samples());
    CHECK_EQ(kit.recording.seek_end, 0);
    CHECK(strstr(kit.recording.warning,
                 "sampling began after 10 s, while the kernels of domains are "
                 "still looked for (1)"));
    kit_pass(&kit, 2000 * MILLISECONDS);
    CHECK_EQ(kit.recording.state, RECORDING_RUNNING);
    CHECK_EQ(recording_stop_now(&kit.recording, &kit.failure), 0);
    kit_check_totals(&kit);
    read_session(&seen);
    CHECK(seen.samples > 150);
    CHECK_EQ(seen.named, 0);
    end();
}

/* It has no kernel, and none is looked for. */
TEST(guest_that_goes_while_its_kernel_is_looked_for)
{
    begin_seeking('L');
    kit.domain_count--;
    kit.recording.next_seek = 0;
    CHECK_EQ(recording_poll(&kit.recording, &kit.failure), 0);
    CHECK(xen_samples());
    CHECK_EQ(recording_stop_now(&kit.recording, &kit.failure), 0);
    end();
}

TEST(guest_kernels_are_looked_for_when_a_start_is_given_up)
{
    struct xenoprof_door_state state;

    begin_seeking('L');
    recording_stop(&kit.recording);
    CHECK_EQ(kit.recording.state, RECORDING_NONE);
    CHECK(!session_exists(kit.dir, SESSION_STARTING));
    core_door_state(&state);
    CHECK_EQ(state.state, XENOPROF_STATE_LOADED);
    end();
}

/* Samples wait in their ring, also the sample that started the search. */
TEST(guest_samples_wait_for_a_search)
{
    struct seen seen;

    begin('P');
    record(OPTIONS, &seen);
    CHECK(seen.samples > 150);
    CHECK_EQ(seen.named, seen.samples);
    CHECK_EQ(seen.chains, seen.samples);
    end();
}

/* Samples that did not wait still get names, but no callers. */
TEST(guest_samples_that_were_stored_before_get_names)
{
    struct seen seen;

    begin('P');
    CHECK_EQ(kit_start(&kit, OPTIONS), 0);
    kit.recording.drain.wait = 0;
    kit_pass(&kit, 2000 * MILLISECONDS);
    kit.recording.drain.wait = SECONDS;
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    read_session(&seen);
    CHECK(seen.samples > 150);
    CHECK_EQ(seen.named, seen.samples);
    CHECK(seen.chains < seen.samples);
    end();
}

/* The host samples while the daemon writes what it knows of it. */
static int list_payloads_slowly(void *self, char *text, size_t size)
{
    (void)self;
    if ( size )
        text[0] = '\0';
    process_run_until(process_now() + 300 * MILLISECONDS);
    return 0;
}

static const struct account *account_of_guest(void)
{
    const struct accounts *accounts = &kit.recording.drain.accounts;

    for ( size_t i = 0; i < accounts->count; i++ )
        if ( accounts->items[i].info.domain == 5 &&
             accounts->items[i].info.vcpu == 1 )
            return &accounts->items[i];
    test_fail(__FILE__, __LINE__, "domain 5 has no ring");
}

static struct guest *guest_in_recording(void)
{
    const struct account *account = account_of_guest();
    const struct guest_sample sample = {.domain = 5,
                                        .uuid = account->info.uuid};

    return guests_find(kit.recording.guests, &sample);
}

/* They came before anything was known, and wait like all others. */
TEST(guest_samples_of_the_first_block_wait)
{
    struct seen seen;

    begin('K');
    table.list_payloads = list_payloads_slowly;
    CHECK_EQ(kit_start(&kit, OPTIONS), 0);
    CHECK(account_of_guest()->info.made > 20);
    CHECK_EQ(account_of_guest()->read + account_of_guest()->pending, 0);
    kit_pass(&kit, 50 * MILLISECONDS);
    finish(&seen);
    CHECK(seen.samples > 20);
    CHECK_EQ(seen.chains, seen.samples);
    end();
}

/* A search for its kernel goes on, and does not end. */
static void begin_search(const char *options)
{
    begin('L');
    CHECK_EQ(kit_start(&kit, options), 0);
    process_run_until(process_now() + 80 * MILLISECONDS);
    kit_pass(&kit, 20 * MILLISECONDS);
    CHECK(account_of_guest()->fifo.count);
    CHECK_EQ(account_of_guest()->read + account_of_guest()->pending, 0);
}

/* Its samples are read all the same. */
static void end_search(void)
{
    CHECK_EQ(recording_stop_now(&kit.recording, &kit.failure), 0);
    CHECK(account_of_guest()->read > 5);
    kit_check_totals(&kit);
    end();
}

TEST(guest_samples_that_wait_are_told)
{
    const struct account *account;
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    begin_search(OPTIONS);
    reply_recording(&kit.recording, file);
    fclose(file);
    account = account_of_guest();
    if ( account->info.made == account->read || !strstr(text, "state=waits") )
        test_fail(__FILE__, __LINE__, "samples wait, and nothing says so: %s",
                  text);
    free(text);
    end_search();
}

/* The daemon does not go round and round when nothing can be stored. */
TEST(guest_search_that_cannot_go_on)
{
    begin_search(OPTIONS);
    CHECK(recording_has_work(&kit.recording));
    kit.recording.cannot_store = true;
    CHECK(!recording_has_work(&kit.recording));
    kit.recording.cannot_store = false;
    end_search();
}

/* Their ring goes on: they are in the spool. */
TEST(guest_samples_that_wait_hold_up_no_ring)
{
    const struct account *account;

    begin_search(" frequency=100 passive-domains=5 stacks=kernel ring-size=64");
    kit_pass(&kit, 1000 * MILLISECONDS);
    account = account_of_guest();
    CHECK(account->fifo.count > 90);
    CHECK(kit.recording.drain.spool.bytes > 3 * account->info.size);
    CHECK_EQ(account->read + account->pending, 0);
    CHECK_EQ(account->info.made, account->info.committed);
    end_search();
}

TEST(guest_samples_wait_no_longer_than_is_allowed)
{
    begin_search(OPTIONS);
    kit.recording.drain.wait = 0;
    kit_pass(&kit, 10 * MILLISECONDS);
    CHECK(account_of_guest()->read + account_of_guest()->pending > 5);
    CHECK_EQ(account_of_guest()->fifo.count, 0);
    end_search();
}

/* A search that ends its parser, or never ends: no sample is lost. */
TEST(guest_that_is_strange_keeps_its_samples)
{
    static const char letters[] = {'C', 'F', 'x', 'D'};

    for ( size_t i = 0; i < sizeof(letters); i++ )
    {
        struct seen seen;

        begin(letters[i]);
        record(OPTIONS, &seen);
        CHECK(seen.samples > 150);
        CHECK_EQ(seen.named, 0);
        end();
    }
}

/* All samples were made before the kernel was looked for, and are far more than
 * the ring holds: their stacks are whole. */
TEST(guest_samples_from_before_the_kernel_was_known)
{
    const struct listed_domain *domain;
    struct guest_sample sample = {.domain = 5};
    struct seen seen;

    begin('K');
    CHECK_EQ(kit_start(&kit, OPTIONS " ring-size=64"), 0);
    domain = kit.domains;
    while ( domain->id != 5 )
        domain++;
    sample.uuid = domain->uuid;
    guests_find(kit.recording.guests, &sample)->state = GUEST_SEARCHED;
    kit_pass(&kit, 1000 * MILLISECONDS);
    CHECK_EQ(account_of_guest()->read + account_of_guest()->pending, 0);
    CHECK(kit.recording.drain.spool.bytes > 3 * account_of_guest()->info.size);
    /* No more samples come: those that wait have it looked for. */
    guest_in_recording()->state = GUEST_NEW;
    finish(&seen);
    CHECK(seen.samples > 90);
    CHECK_EQ(seen.chains, seen.samples);
    CHECK_EQ(seen.ends[XENOPROF_ENDED_ROOT] + seen.ends[XENOPROF_ENDED_PAGE],
             seen.samples);
    end();
}

/* What had no answer when a walker ended is asked of the next one. */
TEST(guest_samples_whose_walker_ended)
{
    struct seen seen;
    struct guest *guest;

    begin('K');
    kit_run(&kit, OPTIONS);
    guest = guest_in_recording();
    while ( guest->state != GUEST_KNOWN || !account_of_guest()->fifo.count ||
            !walked_stacks_open(&guest->walker.stacks) )
        kit_pass(&kit, 10 * MILLISECONDS);
    guest_walker_stop(kit.recording.guests, guest);
    CHECK_EQ(walked_stacks_open(&guest->walker.stacks), 0);
    kit_pass(&kit, 100 * MILLISECONDS);
    finish(&seen);
    CHECK_EQ(seen.chains, seen.samples);
    end();
}

/* The oldest make room, and say so; their order stays. */
TEST(guest_samples_that_find_the_spool_full)
{
    struct seen seen;

    begin_search(OPTIONS " spool=1");
    kit_pass(&kit, 3000 * MILLISECONDS);
    CHECK(account_of_guest()->fifo.count > 50);
    CHECK(kit.recording.drain.spool.used <= 1 << 19);
    CHECK_EQ(recording_stop_now(&kit.recording, &kit.failure), 0);
    kit_check_totals(&kit);
    read_session(&seen);
    CHECK(seen.ends[XENOPROF_ENDED_SPOOL] > 50);
    CHECK(seen.ends[XENOPROF_ENDED_SEARCH] > 50);
    end();
}

/* Without a spool none waits. */
TEST(guest_samples_that_may_not_wait)
{
    struct seen seen;

    begin('K');
    record(OPTIONS " spool=0", &seen);
    CHECK(seen.samples > 150);
    CHECK_EQ(seen.chains, 0);
    CHECK(seen.ends[XENOPROF_ENDED_SPOOL] > 150);
    end();
}

/* What a killed daemon held is lost, to the sample: not what is in the ring
 * still, nor what is on disk. */
TEST(guest_samples_that_a_killed_daemon_held)
{
    struct account_totals totals;
    uint64_t held;

    begin_search(OPTIONS);
    CHECK_EQ(drain_flush(&kit.recording.drain, NULL), XENOPROF_OK);
    held = account_of_guest()->fifo.count;
    CHECK(held > 5);
    /* These are in the spool too, but no block says that they left the ring. */
    kit.recording.next_block = UINT64_MAX;
    kit_pass(&kit, 60 * MILLISECONDS);
    CHECK(account_of_guest()->fifo.count > held);
    kit_kill(&kit);
    CHECK(recording_adopt(&kit.recording, kit.dir));
    accounts_total(&kit.recording.drain.accounts, &totals);
    CHECK_EQ(totals.lost, held);
    CHECK_EQ(totals.lost_by_cause[XENOPROF_LOST_DAEMON], held);
    kit_pass(&kit, 50 * MILLISECONDS);
    CHECK_EQ(recording_stop_now(&kit.recording, &kit.failure), 0);
    kit_check_totals(&kit);
    accounts_total(&kit.recording.drain.accounts, &totals);
    CHECK_EQ(totals.lost, held);
    end();
}

/* Returns the most samples that a round looked at to ask for them; *held: the
 * most that waited. */
static unsigned int most_looked_at(unsigned int *held)
{
    unsigned int most = 0;

    *held = 0;
    for ( int i = 0; i < 100; i++ )
    {
        kit_pass(&kit, 10 * MILLISECONDS);
        if ( kit.recording.drain.asked > most )
            most = kit.recording.drain.asked;
        if ( account_of_guest()->fifo.count > *held )
            *held = account_of_guest()->fifo.count;
    }
    return most;
}

/* However many wait, a round takes as many steps: none is looked at twice. */
TEST(guest_samples_that_wait_are_looked_at_once)
{
    unsigned int held;

    begin_search(OPTIONS);
    CHECK(most_looked_at(&held) < 8);
    CHECK(held > 90);
    end_search();
    /* They gather for a batch. */
    begin('K');
    kit_run(&kit, OPTIONS);
    while ( guest_in_recording()->state != GUEST_KNOWN )
        kit_pass(&kit, 10 * MILLISECONDS);
    kit_pass(&kit, 1000 * MILLISECONDS);
    CHECK(most_looked_at(&held) < 12);
    CHECK(held > 20);
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    end();
}

TEST(guest_stack_that_kills_the_parser_costs_no_sample)
{
    struct seen seen;

    begin('S');
    record(OPTIONS, &seen);
    CHECK(seen.samples > 150);
    end();
}

TEST(guest_stack_that_nobody_asked_for)
{
    struct seen seen;

    begin('K');
    record(" frequency=100 passive-domains=5 stacks=none", &seen);
    CHECK_EQ(seen.named, seen.samples);
    CHECK_EQ(seen.chains, 0);
    end();
}
