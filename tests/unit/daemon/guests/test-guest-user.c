/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dom0's user code has the names that its agent says; and samples go on, on
 * time, whatever the agent does. */
#include <string.h>

#include "agent-kit.h"
#include "base/clock.h"
#include "clock-kit.h"
#include "guests-kit.h"
#include "tests/harness.h"

static struct guests_kit kit;
static struct agent_kit agent;
static uint64_t began; /* our clock: of the sample that was taken last */

static struct guest_sample sample_of(uint32_t pid, uint64_t ip)
{
    static const uint8_t uuid[16] = {0};
    struct guest_sample sample = {
        .time = kit.now,
        .uuid = uuid,
        .mode = XENOPROF_MODE_USER,
        .ip = ip,
        .thread = {.pid = pid, .tid = pid, .comm = "test"},
    };

    return sample;
}

static enum agent_state state_now(void)
{
    return agent_link_state(guests_kit_dom0(&kit)->link);
}

/* Of the clock, beside what a round takes, when an agent has said that it is
 * there. */
static uint64_t round_skips;

/* Takes the sample as a round does, until it need not wait any more.  Returns
 * its place. */
static uint32_t take(const struct guest_sample *sample)
{
    struct guest_chain chain;
    enum guest_wait wait;

    began = monotonic_now();
    while ( (wait = guests_wait_for(kit.guests, sample)) != GUEST_READY )
    {
        CHECK(wait != GUEST_UNKNOWN);
        CHECK(monotonic_now() - began < 20 * SECOND);
        guests_ask(kit.guests, sample);
        CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, SECOND / 50),
                 XENOPROF_OK);
        if ( state_now() == AGENT_PRESENT )
            clock_kit_skip(round_skips);
    }
    CHECK_EQ(guests_chain(kit.guests, kit.writer, sample, &chain), XENOPROF_OK);
    CHECK_EQ(chain.count, 1);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_ROOT);
    return chain.places[0];
}

static uint32_t take_of(uint32_t pid, uint64_t ip)
{
    const struct guest_sample sample = sample_of(pid, ip);

    return take(&sample);
}

static const char *trouble_now(void)
{
    return agent_link_trouble(guests_kit_dom0(&kit)->link);
}

static void begin(enum agent_manner manner)
{
    agent_kit_begin(&agent, manner);
    guests_kit_begin(&kit, 0);
}

static void end(void)
{
    guests_kit_end(&kit);
    agent_kit_end(&agent);
}

/* Processes that run at one address have their own names, and share those of
 * the code that they share. */
TEST(processes_have_names_of_their_own)
{
    uint32_t first, second;

    begin(MANNER_GOOD);
    first = take_of(1, 0x401000);
    second = take_of(2, 0x401000);
    CHECK(first != second);
    CHECK_EQ(take_of(3, 0x7f0000001000), first);
    CHECK_EQ(take_of(1, 0x401000), first);
    CHECK_EQ(take_of(4, 0x401000), second);
    CHECK_EQ(state_now(), AGENT_PRESENT);
    CHECK_EQ(agent_link_figures(guests_kit_dom0(&kit)->link)->asked, 4);
    guests_kit_check_symbol(&kit, first, "/bin/first", "first");
    guests_kit_check_symbol(&kit, second, "/bin/second", "second");
    end();
}

/* What has no name never gets another process's. */
TEST(an_address_without_a_name_stays_so)
{
    uint32_t unnamed, first;

    begin(MANNER_GOOD);
    unnamed = take_of(0, 0x108);
    first = take_of(1, 0x401000);
    CHECK(first != unnamed);
    CHECK_EQ(take_of(0, 0x108), unnamed);
    guests_kit_check_symbol(&kit, unnamed, "user", "");
    guests_kit_check_symbol(&kit, first, "/bin/first", "first");
    end();
}

/* An answer is not good for ever; nor is a place's number, beyond its file. */
TEST(answers_grow_old)
{
    const struct guest_sample sample = sample_of(1, 0x401000);

    begin(MANNER_GOOD);
    take(&sample);
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_READY);
    clock_kit_skip(11 * SECOND);
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_NOT_ASKED);
    take(&sample);
    guests_forget_places(kit.guests);
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_NOT_ASKED);
    take(&sample);
    CHECK_EQ(agent_link_figures(guests_kit_dom0(&kit)->link)->asked, 3);
    end();
}

/* Of other domains, and of dom0's kernel, it is not asked. */
TEST(others_are_not_asked_for)
{
    struct guest_sample sample = sample_of(1, 0x401000);

    begin(MANNER_GOOD);
    sample.domain = 2;
    CHECK_EQ(guests_wait_for(kit.guests, &sample), GUEST_READY);
    CHECK(!guests_known(kit.guests, 2, sample.uuid)->user);
    take_of(0, 0x401000); /* nobody knows whose */
    sample.domain = 0;
    sample.mode = XENOPROF_MODE_KERNEL;
    CHECK(!guest_user_is(&kit.guests->guests[0], &sample));
    CHECK_EQ(agent_link_figures(guests_kit_dom0(&kit)->link)->asked, 0);
    end();
}

TEST(no_agent)
{
    begin(MANNER_GOOD);
    guests_kit_end(&kit);
    agent_kit_end(&agent);
    setenv("XENOPROF_AGENT", agent.path, 1);
    guests_kit_begin(&kit, 0);
    CHECK_EQ(state_now(), AGENT_ABSENT);
    guests_kit_check_symbol(&kit, take_of(1, 0x401000), "user", "");
    CHECK(monotonic_now() - began < AGENT_PATIENCE); /* it waited for nobody */
    CHECK_TEXT(trouble_now(), "opagent does not run");
    guests_kit_end(&kit);
}

/* One that starts later is found. */
TEST(an_agent_that_comes_later)
{
    begin(MANNER_ENDS);
    take_of(1, 0x401000);
    CHECK_EQ(state_now(), AGENT_ABSENT);
    CHECK_TEXT(trouble_now(), "opagent has ended");
    agent_kit_restart(&agent, MANNER_GOOD);
    clock_kit_skip(31 * SECOND);
    CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, SECOND / 50),
             XENOPROF_OK);
    guests_kit_check_symbol(&kit, take_of(1, 0x402000), "/bin/first", "first");
    end();
}

/* Samples wait for 10 seconds at most and a little, and then for a while not
 * at all. */
static void check_late(enum agent_manner manner, const char *trouble)
{
    uint32_t place;

    begin(manner);
    place = take_of(1, 0x401000);
    CHECK(monotonic_now() - began < AGENT_PATIENCE + 9 * SECOND);
    CHECK_EQ(state_now(), AGENT_ABSENT);
    CHECK_TEXT(trouble_now(), trouble);
    CHECK_EQ(take_of(2, 0x401000), place);
    CHECK(monotonic_now() - began < AGENT_PATIENCE);
    guests_kit_check_symbol(&kit, place, "user", "");
    end();
}

TEST(an_agent_that_says_nothing)
{
    check_late(MANNER_DEAF, "opagent does not answer within 3 seconds");
}

TEST(an_agent_that_hangs)
{
    round_skips = SECOND;
    check_late(MANNER_MUTE, "opagent does not answer within 10 seconds");
    round_skips = 0;
}

TEST(an_agent_that_ends)
{
    check_late(MANNER_ENDS, "opagent has ended");
}

TEST(an_agent_that_refuses)
{
    check_late(MANNER_OLD, "opagent is of another version, and refuses");
}

/* Nothing of what it says is stored; it is called again twice. */
TEST(an_agent_that_lies)
{
    begin(MANNER_LIES);
    for ( unsigned int i = 0; i < AGENT_LIES_MAX; i++ )
    {
        guests_kit_check_symbol(&kit, take_of(1, 0x401000 + i), "user", "");
        CHECK(agent_link_figures(guests_kit_dom0(&kit)->link)->asked == i + 1);
        clock_kit_skip(31 * SECOND);
        guests_exchange(kit.guests, kit.writer, true, SECOND / 50);
    }
    CHECK_EQ(state_now(), AGENT_BANNED);
    CHECK(strstr(trouble_now(), "not asked any more"));
    take_of(1, 0x401000);
    CHECK(monotonic_now() - began < AGENT_PATIENCE);
    end();
}
