/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each agent's guest has a share of the room for rows, in which what is least
 * used makes room for others. */
#include <string.h>

#include "agent-kit.h"
#include "base/clock.h"
#include "clock-kit.h"
#include "daemon/guests/user-facts.h"
#include "guests-kit.h"
#include "tests/harness.h"

#define ALL    (256u << 20)
#define UNUSED (10 * SECOND)
#define STACK  0x7000u

static struct guests_kit kit;
static struct agent_kit agent;
static struct guest_chain chain;
static size_t size; /* of a process's table */

static struct user_stacks *stacks(void)
{
    return &guests_kit_dom0(&kit)->stacks;
}

/* A sample in leaf, which middle called, which main did. */
static struct guest_sample sample_of(uint32_t pid)
{
    static const uint8_t uuid[16] = {0};
    static const struct xenoprof_registers registers = {.rsp = STACK};
    static const struct {
        struct xenoprof_window head;
        uint64_t words[4];
    } stack = {{STACK, sizeof(stack.words), 0},
               {KIT_CODE + 0x250, 0, KIT_CODE + 0x310}};
    static uint64_t tag;

    return (struct guest_sample){
        .time = kit.now,
        .uuid = uuid,
        .mode = XENOPROF_MODE_USER,
        .ip = KIT_CODE + 0x120,
        .registers = &registers,
        .windows = {&stack.head},
        .thread = {.pid = pid, .tid = pid, .comm = "test"},
        .tag = ++tag,
    };
}

static void exchange(void)
{
    CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, SECOND / 50),
             XENOPROF_OK);
}

static void take_of(uint32_t pid)
{
    const struct guest_sample sample = sample_of(pid);
    uint64_t began = monotonic_now();

    while ( guests_wait_for(kit.guests, &sample) != GUEST_READY )
    {
        CHECK(monotonic_now() - began < 60 * SECOND);
        guests_ask(kit.guests, &sample);
        exchange();
    }
    CHECK_EQ(guests_chain(kit.guests, kit.writer, &sample, &chain),
             XENOPROF_OK);
    CHECK(stacks()->bytes <= stacks()->room);
}

static bool is_whole(uint32_t pid)
{
    take_of(pid);
    if ( chain.count == 3 )
        CHECK_EQ(chain.ended, XENOPROF_ENDED_ROOT);
    else
        CHECK_EQ(chain.ended, XENOPROF_ENDED_RULE);
    return chain.count == 3;
}

/* As if there were so many guests with agents that each had that share. */
static void share(size_t bytes)
{
    kit.guests->agents = (uint32_t)(ALL / bytes);
}

/* Process 1 is known. */
static void begin(enum agent_manner manner)
{
    agent_kit_begin(&agent, manner);
    guests_kit_begin(&kit, 0);
    take_of(1);
    size = stacks()->bytes;
}

static void end(void)
{
    kit.guests->agents = 1;
    guests_kit_end(&kit);
    agent_kit_end(&agent);
}

TEST(the_least_used_goes)
{
    begin(MANNER_FILES);
    share(2 * size + size / 2);
    CHECK(is_whole(1));
    CHECK(is_whole(2));
    CHECK_EQ(stacks()->bytes, 2 * size);
    clock_kit_skip(UNUSED);
    CHECK(is_whole(2));
    CHECK(is_whole(3));
    CHECK_EQ(stacks()->bytes, 2 * size);
    CHECK(is_whole(2));
    end();
}

/* What is in use does not go for others, which are tried again later. */
TEST(what_finds_no_room)
{
    begin(MANNER_FILES);
    share(2 * size + size / 2);
    CHECK(is_whole(2));
    CHECK(!is_whole(3));
    CHECK(!is_whole(4));
    clock_kit_skip(UNUSED);
    CHECK(is_whole(1));
    CHECK(is_whole(2));
    CHECK(!is_whole(3));
    clock_kit_skip(UNUSED);
    CHECK(is_whole(3));
    CHECK(is_whole(4));
    CHECK(!is_whole(1));
    end();
}

/* No table is larger than all. */
TEST(a_table_that_is_too_large)
{
    begin(MANNER_FILES);
    share(size - 1);
    CHECK(!is_whole(2));
    CHECK_EQ(stacks()->bytes, 0);
    share(size);
    CHECK(!is_whole(2));
    clock_kit_skip(UNUSED);
    CHECK(is_whole(2));
    end();
}

/* Another guest came: who has more than the share that is left has to go down
 * to it, in use or not. */
TEST(a_share_that_shrinks)
{
    begin(MANNER_FILES);
    CHECK(is_whole(2));
    CHECK(is_whole(3));
    CHECK_EQ(stacks()->bytes, 3 * size);
    share(size + size / 2);
    exchange();
    CHECK_EQ(stacks()->bytes, size);
    CHECK(is_whole(3));
    CHECK(!is_whole(2));
    kit.guests->agents = 1;
    clock_kit_skip(UNUSED);
    CHECK(is_whole(1));
    CHECK(is_whole(2));
    CHECK(is_whole(3));
    CHECK_EQ(stacks()->deaths, 0);
    end();
}

/* What processes have mapped is bounded by all of it. */
TEST(processes_with_many_mappings)
{
    begin(MANNER_MANY);
    for ( uint32_t pid = 1; pid <= 2 * USER_PIECES_MAX / AGENT_MAPPINGS_MAX;
          pid++ )
    {
        CHECK(is_whole(pid));
        CHECK(stacks()->pieces <= USER_PIECES_MAX);
    }
    CHECK(is_whole(1));
    CHECK_EQ(stacks()->deaths, 0);
    end();
}
