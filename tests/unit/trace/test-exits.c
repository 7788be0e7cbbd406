/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exits and how long until the guest goes on. */
#include <libxenoprof.h>

#include "tests/harness.h"
#include "trace/exits.h"

#define US  1000ull
#define HLT 0x78u
#define IO  0x7bu

static struct exits exits;
static struct turns turns;

static void begin(void)
{
    exits_init(&exits, true);
}

static void end(void)
{
    exits_free(&exits);
    turns_free(&turns);
}

static void change(uint16_t pcpu, uint64_t us, uint16_t domain,
                   enum runstate old, enum runstate new)
{
    const struct traced_change change = {{domain, 0}, old, new};
    struct turn *turn = turns_of(&turns, pcpu);

    CHECK(turn);
    CHECK(exits_change(&exits, &change, turn, pcpu, us * US));
    turns_take(turn, &change);
}

static void event(uint16_t pcpu, uint64_t us, uint32_t number, uint32_t code)
{
    const struct trace_event event = {
        .number = number,
        .pcpu = pcpu,
        .words = number == TRACE_ENTRY ? 0 : 3,
        .word = {code},
    };
    const struct turn *turn = turns_of(&turns, pcpu);

    CHECK(turn);
    CHECK(exits_take(&exits, &event, turn, us * US));
}

static const struct exit_sum *find(uint16_t domain, uint32_t code,
                                   enum xenoprof_entry_kind kind)
{
    const struct exit_key key = {{domain, 0}, code, kind};
    static const struct exit_sum none;
    const struct exit_sum *sum = table_find(&exits.sums, &key);

    return sum ?: &none;
}

TEST(an_exit_ends_with_the_entry)
{
    const struct exit_sum *io;

    begin();
    change(1, 0, 5, RUNSTATE_WAITS, RUNSTATE_RUNS);
    event(1, 5, TRACE_ENTRY, 0);
    event(1, 10, TRACE_EXIT | 0x100, IO);
    event(1, 13, TRACE_ENTRY, 0);
    event(1, 20, TRACE_EXIT | 0x100, IO);
    event(1, 22, TRACE_ENTRY, 0);
    /* Another pCPU's is not this vCPU's. */
    event(2, 23, TRACE_EXIT | 0x100, IO);
    io = find(5, IO, XENOPROF_ENTRY_SVM);
    CHECK_EQ(io->count, 2);
    CHECK_EQ(io->in_xen, 5 * US);
    CHECK_EQ(io->shortest, 2 * US);
    CHECK_EQ(io->longest, 3 * US);
    CHECK_EQ(io->away, 0);
    end();
}

TEST(time_without_a_pcpu_is_not_xens)
{
    begin();
    change(1, 0, 5, RUNSTATE_WAITS, RUNSTATE_RUNS);
    event(1, 10, TRACE_EXIT, HLT);
    change(1, 12, 5, RUNSTATE_RUNS, RUNSTATE_SLEEPS);
    change(0, 900, 5, RUNSTATE_SLEEPS, RUNSTATE_WAITS);
    /* It goes on elsewhere. */
    change(2, 912, 5, RUNSTATE_WAITS, RUNSTATE_RUNS);
    event(2, 917, TRACE_ENTRY, 0);
    CHECK_EQ(find(5, HLT, XENOPROF_ENTRY_SVM)->count, 1);
    CHECK_EQ(find(5, HLT, XENOPROF_ENTRY_SVM)->in_xen, 7 * US);
    CHECK_EQ(find(5, HLT, XENOPROF_ENTRY_SVM)->away, 900 * US);
    end();
}

/* Nothing but a change of turns says who had the pCPU before. */
TEST(exits_before_the_first_change_are_whose_turn_it_was)
{
    begin();
    event(1, 5, TRACE_ENTRY, 0);
    event(1, 10, TRACE_EXIT, IO);
    event(1, 12, TRACE_ENTRY, 0);
    event(1, 20, TRACE_EXIT, HLT);
    CHECK_EQ(find(EXITS_OF_PCPU, IO, XENOPROF_ENTRY_SVM)->count, 0);
    change(1, 23, 5, RUNSTATE_RUNS, RUNSTATE_SLEEPS);
    change(1, 23, 6, RUNSTATE_WAITS, RUNSTATE_RUNS);
    event(1, 25, TRACE_EXIT, IO);
    event(1, 26, TRACE_ENTRY, 0);
    change(1, 30, 6, RUNSTATE_RUNS, RUNSTATE_WAITS);
    change(1, 40, 5, RUNSTATE_SLEEPS, RUNSTATE_RUNS);
    event(1, 41, TRACE_ENTRY, 0);
    CHECK_EQ(find(5, IO, XENOPROF_ENTRY_SVM)->in_xen, 2 * US);
    CHECK_EQ(find(5, HLT, XENOPROF_ENTRY_SVM)->in_xen, 4 * US);
    CHECK_EQ(find(5, HLT, XENOPROF_ENTRY_SVM)->away, 17 * US);
    CHECK_EQ(find(6, IO, XENOPROF_ENTRY_SVM)->count, 1);
    end();
}

TEST(a_pcpu_that_nobody_left_has_an_owner)
{
    begin();
    event(1, 10, TRACE_EXIT, IO);
    event(1, 12, TRACE_ENTRY, 0);
    CHECK(exits_owned(&exits, 1, (struct traced_key){5, 0}));
    CHECK_EQ(find(5, IO, XENOPROF_ENTRY_SVM)->count, 1);
    CHECK(exits_owned(&exits, 1, (struct traced_key){6, 0}));
    CHECK_EQ(find(6, IO, XENOPROF_ENTRY_SVM)->count, 0);
    end();
}

/* What was found to be a vCPU's is not the next owner's as well. */
TEST(a_pcpu_without_an_owner_once_more_begins_with_nothing)
{
    const struct exit_sum *io;

    begin();
    event(1, 10, TRACE_EXIT, IO);
    event(1, 19, TRACE_ENTRY, 0);
    change(1, 20, 5, RUNSTATE_RUNS, RUNSTATE_SLEEPS);
    /* Records were lost. */
    exits_forget(&exits);
    *turns_of(&turns, 1) = (struct turn){0};
    event(1, 30, TRACE_EXIT, IO);
    event(1, 32, TRACE_ENTRY, 0);
    change(1, 40, 6, RUNSTATE_RUNS, RUNSTATE_SLEEPS);
    CHECK_EQ(find(5, IO, XENOPROF_ENTRY_SVM)->in_xen, 9 * US);
    io = find(6, IO, XENOPROF_ENTRY_SVM);
    CHECK_EQ(io->count, 1);
    CHECK_EQ(io->in_xen, 2 * US);
    CHECK_EQ(io->longest, 2 * US);
    end();
}

TEST(lost_records_leave_exits_without_an_entry)
{
    begin();
    change(1, 0, 5, RUNSTATE_WAITS, RUNSTATE_RUNS);
    event(1, 10, TRACE_EXIT, IO);
    exits_forget(&exits);
    event(1, 90, TRACE_ENTRY, 0);
    CHECK_EQ(find(5, IO, XENOPROF_ENTRY_SVM)->count, 0);
    CHECK_EQ(exits.unpaired, 1);
    event(1, 100, TRACE_EXIT, IO);
    event(1, 110, TRACE_EXIT, HLT);
    event(1, 111, TRACE_ENTRY, 0);
    CHECK_EQ(find(5, IO, XENOPROF_ENTRY_SVM)->count, 0);
    CHECK_EQ(find(5, HLT, XENOPROF_ENTRY_SVM)->in_xen, US);
    CHECK_EQ(exits.unpaired, 2);
    end();
}

/* From 4.20 on records of both makers differ. */
TEST(makers_are_told_apart)
{
    begin();
    exits.svm = false;
    change(1, 0, 5, RUNSTATE_WAITS, RUNSTATE_RUNS);
    event(1, 10, TRACE_EXIT | 0x100, 0x8000000c); /* failed entry, and HLT */
    event(1, 11, TRACE_ENTRY, 0);
    event(1, 12, TRACE_EXIT_SVM | 0x500, HLT);
    event(1, 13, TRACE_ENTRY, 0);
    CHECK_EQ(find(5, 12, XENOPROF_ENTRY_VMX)->count, 1);
    CHECK_EQ(find(5, HLT, XENOPROF_ENTRY_SVM)->count, 1);
    end();
}

/* One that is not said yet does not keep the others. */
TEST(what_was_said_makes_room)
{
    begin();
    change(1, 0, 5, RUNSTATE_WAITS, RUNSTATE_RUNS);
    event(1, 10, TRACE_EXIT, IO);
    event(1, 13, TRACE_ENTRY, 0);
    event(1, 20, TRACE_EXIT, HLT);
    event(1, 22, TRACE_ENTRY, 0);
    ((struct exit_sum *)table_at(&exits.sums, 0))->count = 0;
    exits_reported(&exits);
    CHECK_EQ(exits.sums.count, 1);
    CHECK_EQ(find(5, HLT, XENOPROF_ENTRY_SVM)->in_xen, 2 * US);
    end();
}

/* In days, guests that start again and again have had any number of vCPUs. */
TEST(guests_that_come_later_are_known_as_well)
{
    begin();
    for ( uint32_t i = 0; i < 70000; i++ )
    {
        const struct trace_event exit = {
            .number = TRACE_EXIT, .words = 3, .word = {IO}};
        const struct turn turn = {
            .now = {(uint16_t)(i % 30000), (uint16_t)(i / 30000)},
            .now_known = true};

        CHECK(exits_take(&exits, &exit, &turn, 0));
    }
    change(1, 0, 31000, RUNSTATE_WAITS, RUNSTATE_RUNS);
    event(1, 10, TRACE_EXIT, IO);
    event(1, 13, TRACE_ENTRY, 0);
    CHECK_EQ(find(31000, IO, XENOPROF_ENTRY_SVM)->count, 1);
    CHECK_EQ(exits.left_out, 0);
    /* Their entries never came. */
    CHECK(exits.unpaired > 60000);
    end();
}
