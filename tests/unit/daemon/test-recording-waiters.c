/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording with samples of vCPUs that wait. */
#include <stdio.h>
#include <string.h>

#include "control/session-folders.h"
#include "libxenoprof/session/session-attributes.h"
#include "recording-kit.h"

static struct recording_kit kit;
static uint8_t stack[XENOPROF_PAGE_SIZE];

static const uint8_t *memory(uint16_t domain, uint16_t vcpu, uint64_t address)
{
    (void)domain;
    (void)vcpu;
    (void)address;
    return stack;
}

/* vCPU 1 of domain 5 can run, and does not. */
static void make_wait(void)
{
    const struct xenoprof_wait wait = {
        .domain = 5,
        .vcpu = 1,
        .state = XENOPROF_RUNNABLE,
        .since = process_now() + 1,
    };
    const struct process_waiter waiter = {
        .whole = true,
        .at =
            {
                .ip = 0xffffffff81000100ul,
                .sp = 0xffffc90000100100ul,
                .mode = XENOPROF_MODE_KERNEL,
            },
    };

    process_host()->waiter_memory = memory;
    process_set_wait(&wait);
    process_set_waiter(5, 1, &waiter);
}

static struct {
    uint64_t time, waiting;    /* samples */
    uint64_t waited;           /* ns */
    uint64_t made, read, lost; /* as the session says */
} got;

static void take_item(const struct xenoprof_item *item)
{
    const struct xenoprof_stored *sample = &item->u.sample;

    if ( item->kind == XENOPROF_ITEM_SAMPLE && sample->type )
    {
        CHECK_EQ(sample->type, XENOPROF_TYPE_WAITING);
        CHECK_EQ(sample->domain, 5);
        CHECK_EQ(sample->vcpu, 1);
        CHECK_EQ(sample->mode, XENOPROF_MODE_KERNEL);
        CHECK(!(sample->marks & XENOPROF_MARK_WAITING));
        got.waiting++;
        got.waited += (uint64_t)sample->weight * sample->period;
    }
    else if ( item->kind == XENOPROF_ITEM_SAMPLE )
        got.time++;
    if ( item->kind == XENOPROF_ITEM_ATTRIBUTE &&
         !strcmp(item->u.attribute.key, SESSION_ATTRIBUTE_WAITING) )
        CHECK_EQ(sscanf(item->u.attribute.value, "made %lu, read %lu, lost %lu",
                        &got.made, &got.read, &got.lost),
                 3);
}

static void read_session(void)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    char path[128];

    memset(&got, 0, sizeof(got));
    snprintf(path, sizeof(path), "%s/" SESSION_CURRENT, kit.dir);
    CHECK_EQ(xenoprof_session_open(kit.handle, path, &session), XENOPROF_OK);
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
        take_item(&item);
    xenoprof_session_close(session);
}

/* What was made is read or lost; what others made is theirs alone. */
static void check(void)
{
    struct kit_content content;

    kit_check_totals(&kit);
    kit_read_session(&kit, SESSION_CURRENT, &content);
    read_session();
    CHECK_EQ(got.time, content.read);
    CHECK_EQ(got.read, got.waiting);
    CHECK_EQ(got.made, got.read + got.lost);
}

TEST(they_are_stored_beside_the_others)
{
    kit_begin(&kit);
    kit_run(&kit, " frequency=100 passive-domains=5 waiting=1");
    make_wait();
    kit_pass(&kit, 2000 * MILLISECONDS);
    CHECK_EQ(kit_finish(&kit), 0);
    check();
    CHECK(got.waiting > 300);
    CHECK_EQ(got.lost, 0);
    CHECK(got.waited > 1900 * MILLISECONDS);
    CHECK(got.waited < 2100 * MILLISECONDS);
    kit_end(&kit);
}

TEST(nobody_asked_for_them)
{
    kit_begin(&kit);
    kit_run(&kit, " frequency=100 passive-domains=5");
    make_wait();
    kit_pass(&kit, 1000 * MILLISECONDS);
    CHECK_EQ(kit_finish(&kit), 0);
    read_session();
    CHECK_EQ(got.waiting + got.made, 0);
    kit_end(&kit);
}

/* Their stacks are asked for with those of their vCPU, in whose queue they
 * wait. */
TEST(they_wait_for_their_kernel)
{
    kit_begin(&kit);
    kit_run(&kit, " frequency=100 passive-domains=5 waiting=1");
    kit_search_begins(&kit.recording);
    make_wait();
    kit_pass(&kit, 1000 * MILLISECONDS);
    CHECK(kit.recording.drain.spool.samples > 100);
    kit_search_ends(&kit.recording);
    kit_pass(&kit, 100 * MILLISECONDS);
    CHECK_EQ(kit_finish(&kit), 0);
    check();
    CHECK(got.waiting > 150);
    CHECK_EQ(got.lost, 0);
    kit_end(&kit);
}

/* What waited in it is lost, and counted, at the end of the next. */
TEST(a_daemon_that_is_killed)
{
    kit_begin(&kit);
    kit_run(&kit, " frequency=100 passive-domains=5 waiting=1");
    kit_search_begins(&kit.recording);
    make_wait();
    kit_pass(&kit, 3000 * MILLISECONDS);
    kit_kill(&kit);
    CHECK(recording_adopt(&kit.recording, kit.dir));
    kit_pass(&kit, 1000 * MILLISECONDS);
    CHECK_EQ(kit_finish(&kit), 0);
    check();
    CHECK(got.waiting > 100);
    CHECK(got.lost > 100);
    kit_end(&kit);
}
