/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What vCPUs did, from their changes of state. */
#include "tests/harness.h"
#include "trace/runstates.h"

#define US 1000ull

static struct runstates states;

static void change(uint64_t us, uint16_t domain, enum runstate old,
                   enum runstate new)
{
    const struct trace_event event = {
        .number = TRACE_RUNSTATE | (uint32_t)old << 8 | (uint32_t) new << 4,
        .words = 1,
        .word = {(uint32_t)domain << 16 | 2},
    };

    CHECK(runstates_take(&states, &event, us * US));
}

static struct traced_vcpu *find(uint16_t domain)
{
    struct traced_vcpu *vcpu = table_find(&states.vcpus,
                                          &(struct traced_key){domain, 2});

    CHECK(vcpu);
    return vcpu;
}

static void check_times(uint16_t domain, uint64_t runs, uint64_t waits,
                        uint64_t sleeps, uint64_t offline)
{
    const struct traced_vcpu *vcpu = find(domain);

    CHECK_EQ(vcpu->times[RUNSTATE_RUNS], runs * US);
    CHECK_EQ(vcpu->times[RUNSTATE_WAITS], waits * US);
    CHECK_EQ(vcpu->times[RUNSTATE_SLEEPS], sleeps * US);
    CHECK_EQ(vcpu->times[RUNSTATE_IS_OFFLINE], offline * US);
}

TEST(times_of_each_state_add_up)
{
    runstates_init(&states);
    change(100, 5, RUNSTATE_SLEEPS, RUNSTATE_WAITS);
    change(103, 5, RUNSTATE_WAITS, RUNSTATE_RUNS);
    change(203, 5, RUNSTATE_RUNS, RUNSTATE_WAITS);
    change(303, 5, RUNSTATE_WAITS, RUNSTATE_RUNS);
    change(333, 5, RUNSTATE_RUNS, RUNSTATE_SLEEPS);
    change(340, 5, RUNSTATE_SLEEPS, RUNSTATE_IS_OFFLINE);
    runstates_until(&states, 350 * US);
    /* What was before the first record nobody knows. */
    check_times(5, 130, 103, 7, 10);
    CHECK_EQ(states.missed, 0);
    runstates_begin_again(find(5));
    runstates_until(&states, 360 * US);
    check_times(5, 0, 0, 0, 10);
    runstates_free(&states);
}

/* Of a vCPU that never changes nothing but the guess is known. */
TEST(a_guess_holds_until_a_record)
{
    runstates_init(&states);
    CHECK(runstates_guess(&states, 5, 2, RUNSTATE_SLEEPS, 100 * US));
    CHECK(runstates_guess(&states, 6, 2, RUNSTATE_RUNS, 100 * US));
    runstates_until(&states, 150 * US);
    check_times(6, 50, 0, 0, 0);
    change(200, 6, RUNSTATE_WAITS, RUNSTATE_RUNS);
    runstates_until(&states, 300 * US);
    check_times(5, 0, 0, 200, 0);
    /* It had waited all the time. */
    check_times(6, 100, 100, 0, 0);
    CHECK_EQ(states.missed, 0);
    /* Records know better. */
    CHECK(runstates_guess(&states, 6, 2, RUNSTATE_SLEEPS, 100 * US));
    runstates_until(&states, 301 * US);
    check_times(6, 101, 100, 0, 0);
    runstates_free(&states);
}

/* Until its next record nothing is known of a vCPU. */
TEST(time_in_which_records_were_lost_is_in_no_sum)
{
    const struct trace_event lost = {
        .number = TRACE_LOST, .words = 4, .word = {17}};

    runstates_init(&states);
    change(100, 5, RUNSTATE_SLEEPS, RUNSTATE_WAITS);
    runstates_until(&states, 150 * US);
    CHECK(runstates_take(&states, &lost, 200 * US));
    runstates_until(&states, 250 * US);
    change(300, 5, RUNSTATE_WAITS, RUNSTATE_RUNS);
    runstates_until(&states, 310 * US);
    check_times(5, 10, 50, 0, 0);
    CHECK_EQ(states.lost, 17);
    CHECK_EQ(states.missed, 0);
    runstates_free(&states);
}

/* A change that cannot follow the one before: what was between is not known. */
TEST(changes_that_do_not_fit_are_counted)
{
    runstates_init(&states);
    change(100, 5, RUNSTATE_SLEEPS, RUNSTATE_WAITS);
    change(200, 5, RUNSTATE_RUNS, RUNSTATE_SLEEPS);
    runstates_until(&states, 210 * US);
    check_times(5, 0, 0, 10, 0);
    CHECK_EQ(states.missed, 1);
    runstates_free(&states);
}

TEST(other_records_are_passed_over)
{
    runstates_init(&states);
    CHECK(runstates_take(
        &states, &(struct trace_event){.number = TRACE_RUNSTATE}, 5 * US));
    CHECK(runstates_take(
        &states, &(struct trace_event){.number = 0x28004, .words = 1}, 6 * US));
    CHECK_EQ(states.vcpus.count, 0);
    runstates_free(&states);
}

/* In days, guests that start again and again have had any number of vCPUs. */
TEST(guests_that_come_later_are_known_as_well)
{
    struct trace_event event = {
        .number = TRACE_RUNSTATE | RUNSTATE_RUNS << 8 | RUNSTATE_WAITS << 4,
        .words = 1,
    };

    runstates_init(&states);
    for ( uint32_t i = 0; i < 70000; i++ )
    {
        event.word[0] = i % 30000 << 16 | i / 30000;
        CHECK(runstates_take(&states, &event, 0));
    }
    change(10, 31000, RUNSTATE_SLEEPS, RUNSTATE_RUNS);
    change(30, 31000, RUNSTATE_RUNS, RUNSTATE_SLEEPS);
    check_times(31000, 20, 0, 0, 0);
    runstates_free(&states);
}
