/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel's sample that has no answer says why: each cause its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/guests/guests.h"
#include "daemon/sample-stack.h"
#include "control/session-folders.h"
#include "tests/harness.h"
#include "guest-kit.h"

#define KERNEL 0xffffffff81000000ul

/* Nothing is made here. */
static const struct process_maker maker;
static const uint8_t uuid[16] = {2};
static const struct xenoprof_registers registers = {.cr3 = 0x1000};
static const struct xenoprof_window window = {0x1000, 0, 0};

static struct guest_kit kit;
static struct guests *guests;
static struct guest *guest;
static struct xenoprof_handle *handle;
static struct xenoprof_writer *writer;
static char dir[64];

static struct guest_sample sample_of(uint64_t ip)
{
    return (struct guest_sample){
        .time = 1000,
        .domain = 2,
        .uuid = uuid,
        .mode = XENOPROF_MODE_KERNEL,
        .ip = ip,
        .registers = &registers,
        .windows = {&window},
    };
}

static void begin(void)
{
    const struct guest_sample sample = sample_of(KERNEL);
    char folder[80];

    guest_kit_begin(&kit);
    kit.xen.maker = &maker;
    guests = guests_open(&kit.xen);
    handle = xenoprof_open();
    strcpy(dir, "/tmp/xenoprof-test-XXXXXX");
    CHECK(guests && handle && mkdtemp(dir));
    snprintf(folder, sizeof(folder), "%s/s", dir);
    CHECK_EQ(xenoprof_writer_create(handle, folder, &writer), XENOPROF_OK);
    guest = guests_find(guests, &sample);
}

static void end(void)
{
    struct failure failure;

    guests_close(guests);
    xenoprof_writer_destroy(writer);
    xenoprof_close(handle);
    CHECK_EQ(session_delete(dir, "s", &failure), 0);
    CHECK_EQ(rmdir(dir), 0);
}

static enum xenoprof_ended ended(const struct guest_sample *sample)
{
    struct guest_chain chain;

    CHECK_EQ(guests_chain(guests, writer, sample, &chain), XENOPROF_OK);
    CHECK_EQ(chain.count, 1);
    return chain.ended;
}

/* Of a sample that could be walked, in this state of its guest. */
static enum xenoprof_ended ended_in(enum guest_state state)
{
    const struct guest_sample sample = sample_of(KERNEL);

    guest->state = state;
    return ended(&sample);
}

TEST(a_kernel_that_is_not_known_or_not_yet)
{
    begin();
    CHECK_EQ(ended_in(GUEST_NEW), XENOPROF_ENDED_SEARCH);
    CHECK_EQ(ended_in(GUEST_SEARCHED), XENOPROF_ENDED_SEARCH);
    CHECK_EQ(ended_in(GUEST_STRANGE), XENOPROF_ENDED_KERNEL);
    CHECK_EQ(ended_in(GUEST_BANNED), XENOPROF_ENDED_BANNED);
    end();
}

TEST(a_walker_that_did_not_answer)
{
    static const char image;

    begin();
    guest->tables.image = (const void *)&image;
    CHECK_EQ(ended_in(GUEST_KNOWN), XENOPROF_ENDED_WALKER);
    guest->tables.image = NULL;
    /* By frame pointers, of a kernel that was not found. */
    guest->tables.frame_pointers = true;
    CHECK_EQ(ended_in(GUEST_STRANGE), XENOPROF_ENDED_WALKER);
    end();
}

TEST(a_guest_that_used_up_its_time)
{
    begin();
    guests_account(guests, guest)->cpu = GUEST_CPU_FREE +
                                         monotonic_now() / GUEST_CPU_SHARE;
    CHECK_EQ(ended_in(GUEST_NEW), XENOPROF_ENDED_SPENT);
    guest->tables.frame_pointers = true;
    CHECK_EQ(ended_in(GUEST_STRANGE), XENOPROF_ENDED_SPENT);
    guest->tables.frame_pointers = false;
    /* More time would not have helped these. */
    CHECK_EQ(ended_in(GUEST_STRANGE), XENOPROF_ENDED_KERNEL);
    CHECK_EQ(ended_in(GUEST_BANNED), XENOPROF_ENDED_BANNED);
    end();
}

TEST(a_daemon_that_can_look_for_nothing)
{
    begin();
    kit.xen.keeper_gone = true;
    CHECK_EQ(ended_in(GUEST_NEW), XENOPROF_ENDED_KEEPER);
    CHECK_EQ(ended_in(GUEST_KNOWN), XENOPROF_ENDED_KEEPER);
    kit.xen.keeper_gone = false;
    /* Processes that end before they begin. */
    guests->stillborn = 2;
    CHECK_EQ(ended_in(GUEST_NEW), XENOPROF_ENDED_KEEPER);
    guests->answered = true;
    CHECK_EQ(ended_in(GUEST_NEW), XENOPROF_ENDED_SEARCH);
    guests->maker = NULL;
    CHECK_EQ(ended_in(GUEST_NEW), XENOPROF_ENDED_KEEPER);
    end();
}

TEST(a_sample_that_nobody_could_walk)
{
    struct guest_sample sample;

    begin();
    sample = sample_of(KERNEL);
    sample.windows[0] = NULL;
    CHECK_EQ(ended(&sample), XENOPROF_ENDED_PAGE);
    sample.registers = NULL;
    CHECK_EQ(ended(&sample), XENOPROF_ENDED_GUEST);
    sample.mode = XENOPROF_MODE_USER;
    CHECK_EQ(ended(&sample), XENOPROF_ENDED_ROOT);
    end();
}

/* A kernel's sample as it lies in a ring, behind the last one; whose NULL: its
 * domain has gone. */
static struct xenoprof_stored store(const uint8_t *whose, uint32_t marks,
                                    struct stack_last last)
{
    struct places places = {.xen = &kit.xen, .handle = handle};
    const struct stack_sources sources = {
        .places = &places, .guests = guests, .below_xen = true};
    const struct xenoprof_sample sample = {.time = 1000,
                                           .ip = KERNEL,
                                           .domain = 2,
                                           .mode = XENOPROF_MODE_KERNEL,
                                           .marks = marks};
    const struct xenoprof_view view = {.sample = &sample,
                                       .registers = &registers};
    struct xenoprof_stored stored = {.marks = marks,
                                     .mode = XENOPROF_MODE_KERNEL};

    places_reset(&places);
    CHECK_EQ(sample_stack_store(&sources, writer, &view, whose, &last, &stored),
             XENOPROF_OK);
    places_close(&places);
    return stored;
}

static enum xenoprof_ended stored_end(const uint8_t *whose, uint32_t marks)
{
    const struct xenoprof_stored stored = store(whose, marks,
                                                (struct stack_last){0});

    CHECK(!xenoprof_stored_below(&stored));
    return xenoprof_stored_ended(&stored);
}

TEST(a_sample_whose_stack_or_domain_is_not_here)
{
    begin();
    guest->state = GUEST_KNOWN;
    CHECK_EQ(stored_end(uuid, XENOPROF_MARK_NO_STACK), XENOPROF_ENDED_PAGE);
    CHECK_EQ(stored_end(uuid, XENOPROF_MARK_SAME_STACK), XENOPROF_ENDED_SAME);
    CHECK_EQ(stored_end(uuid, XENOPROF_MARK_NO_STACK | XENOPROF_MARK_NO_FACTS),
             XENOPROF_ENDED_FACTS);
    CHECK_EQ(stored_end(NULL, 0), XENOPROF_ENDED_GUEST);
    CHECK_EQ(stored_end(NULL, XENOPROF_MARK_FOREIGN), XENOPROF_ENDED_ROOT);
    CHECK_EQ(stored_end(NULL, XENOPROF_MARK_MOVED), XENOPROF_ENDED_MOVED);
    end();
}

/* A stored end says whether it is the process's.  Such an end is not that the
 * vCPU had left before its kernel's state was read. */
TEST(a_sample_whose_process_is_not_whole)
{
    static const struct {
        enum xenoprof_ended ended;
        bool below;
        uint32_t marks;
        enum xenoprof_ended wanted;
    } cases[] = {
        {XENOPROF_ENDED_AGENT, true, 0, XENOPROF_ENDED_AGENT},
        {XENOPROF_ENDED_ROOT, true, 0, XENOPROF_ENDED_ROOT},
        {XENOPROF_ENDED_RULE, false, 0, XENOPROF_ENDED_RULE},
        {XENOPROF_ENDED_GUEST, true, XENOPROF_MARK_SWITCHED,
         XENOPROF_ENDED_GUEST},
        {XENOPROF_ENDED_GUEST, false, XENOPROF_MARK_SWITCHED,
         XENOPROF_ENDED_LEFT},
    };

    begin();
    for ( size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++ )
    {
        struct stack_last last = {.ip = KERNEL,
                                  .domain = 2,
                                  .chain = {.count = 1,
                                            .ended = cases[i].ended,
                                            .below = cases[i].below}};
        struct xenoprof_stored stored = store(
            uuid, XENOPROF_MARK_SAME_STACK | cases[i].marks, last);

        CHECK_EQ(xenoprof_stored_ended(&stored), cases[i].wanted);
        CHECK_EQ(xenoprof_stored_below(&stored), cases[i].below);
    }
    end();
}

/* Checks that a sample of that mode, counted at exactly `precise`, is stored
 * there. */
static void check_leaf(uint8_t mode, uint64_t ip, uint64_t precise)
{
    struct places places = {.xen = &kit.xen, .handle = handle};
    const struct stack_sources sources = {
        .places = &places, .guests = guests, .below_xen = true};
    const struct xenoprof_sample sample = {
        .time = 1000, .ip = ip, .domain = 2, .mode = mode};
    const struct xenoprof_precise exact = {.ip = precise};
    const struct xenoprof_view view = {
        .sample = &sample, .registers = &registers, .precise = &exact};
    struct xenoprof_stored stored = {.mode = mode};
    struct stack_last last = {0};
    uint32_t place;

    places_reset(&places);
    CHECK_EQ(sample_stack_store(&sources, writer, &view, uuid, &last, &stored),
             XENOPROF_OK);
    places_close(&places);
    CHECK(xenoprof_writer_known(writer, 2, mode, precise, &place));
    CHECK_EQ(stored.place, place);
}

TEST(a_sample_is_where_the_processor_says_exactly)
{
    begin();
    guest->state = GUEST_KNOWN;
    check_leaf(XENOPROF_MODE_KERNEL, KERNEL + 64, KERNEL + 32);
    check_leaf(XENOPROF_MODE_USER, 0x401040, 0x401020);
    check_leaf(XENOPROF_MODE_XEN, 0xffff82d040200123, 0xffff82d040200100);
    end();
}
