/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "core-kit.h"

#define RESERVE                                                                \
    "reserve sampler=nmi frequency=97 mask=3 pages=4 queue=0 lease=10 "        \
    "budget=10"

TEST(command_message_lasts_until_the_next)
{
    process_reset(1);
    kit_refused(22, "no such command", "x");
    CHECK_TEXT(kit_state().message, "no such command");
    kit_done("reset");
    CHECK_TEXT(kit_state().message, "");
}

/* Into a state, from nothing. */
static void go_to(enum xenoprof_state state)
{
    process_reset(2);
    process_set_current(0, 0, 0);
    process_set_current(1, 5, 0);
    if ( state == XENOPROF_STATE_LOADED )
        return;
    kit_done(RESERVE);
    kit_done("domain id=5 vcpus=1 uuid=" KIT_UUID_5 " kind=passive");
    if ( state == XENOPROF_STATE_RESERVED )
        return;
    kit_done("start");
    process_run_until(process_now() + KIT_SECOND / 10);
    if ( state == XENOPROF_STATE_STOPPED )
        kit_done("stop");
}

#define LOADED   XENOPROF_STATE_LOADED
#define RESERVED XENOPROF_STATE_RESERVED
#define RUNNING  XENOPROF_STATE_RUNNING
#define STOPPED  XENOPROF_STATE_STOPPED

/* Each command in each state: what it says, and which state follows. */
static const struct {
    const char *line;
    struct {
        int error;
        enum xenoprof_state next;
    } in[4];
} machine[] = {
    {RESERVE, {{0, RESERVED}, {16, RESERVED}, {16, RUNNING}, {16, STOPPED}}},
    {"pcpus set=0-1",
     {{2, LOADED}, {0, RESERVED}, {16, RUNNING}, {16, STOPPED}}},
    {"domain id=6 vcpus=1 uuid=" KIT_UUID_6 " kind=passive",
     {{2, LOADED}, {0, RESERVED}, {0, RUNNING}, {0, STOPPED}}},
    {"forget id=5", {{2, LOADED}, {0, RESERVED}, {0, RUNNING}, {0, STOPPED}}},
    {"release ring=2",
     {{2, LOADED}, {16, RESERVED}, {16, RUNNING}, {16, STOPPED}}},
    {"start", {{2, LOADED}, {0, RUNNING}, {16, RUNNING}, {0, RUNNING}}},
    {"stop", {{2, LOADED}, {22, RESERVED}, {0, STOPPED}, {0, STOPPED}}},
    {"reset", {{0, LOADED}, {0, LOADED}, {16, RUNNING}, {0, LOADED}}},
};

TEST(command_in_each_state)
{
    for ( unsigned int i = 0; i < sizeof(machine) / sizeof(*machine); i++ )
        for ( unsigned int state = LOADED; state <= STOPPED; state++ )
        {
            int error;

            go_to(state);
            CHECK_EQ(kit_state().state, state);
            error = core_command(machine[i].line);
            if ( -error != machine[i].in[state - 1].error ||
                 kit_state().state != machine[i].in[state - 1].next )
                test_fail(__FILE__, __LINE__,
                          "\"%s\" in state %u: error %d, then state %u",
                          machine[i].line, state, -error, kit_state().state);
            CHECK_EQ(!kit_state().message[0], !error);
            if ( kit_state().status_mfn )
                CHECK_EQ(kit_status()->state, kit_state().state);
        }
    process_reset(1);
}

static void run_lines(uint64_t random)
{
    for ( unsigned int step = 0; step < 6; step++, random /= 8 )
    {
        enum xenoprof_state before = kit_state().state;
        unsigned int which = random % 8;
        int error = core_command(machine[which].line);
        enum xenoprof_state after = kit_state().state;

        if ( error )
            CHECK_EQ(after, before);
        else
            CHECK_EQ(after, machine[which].in[before - 1].next);
    }
}

/* All sequences of six commands: state and errors follow the table. */
TEST(command_sequences)
{
    for ( uint64_t sequence = 0; sequence < 8ul << 15; sequence += 7 )
    {
        process_reset(2);
        run_lines(sequence);
    }
    process_reset(1);
    CHECK_EQ(process_host()->allocated, 0);
}

TEST(status_leaf_is_for_people)
{
    char text[2048], small[20];

    go_to(LOADED);
    CHECK_EQ(core_status_text(text, sizeof(text)), strlen(text));
    CHECK_TEXT(text, "state: loaded\n");
    kit_refused(22, "no such command", "x");
    core_status_text(text, sizeof(text));
    CHECK_TEXT(text, "state: loaded\nlast refusal: no such command\n");
    go_to(STOPPED);
    CHECK_EQ(core_status_text(text, sizeof(text)), strlen(text));
    CHECK(strstr(text, "state: stopped\n"));
    CHECK(strstr(text, "sampler: nmi\n"));
    CHECK(strstr(text, "frequency: 97 (asked: 97)\n"));
    CHECK(strstr(text, "lost: 0 queue, 0 ring, 0 stopped\n"));
    CHECK_EQ(core_status_text(small, sizeof(small)), 19);
    CHECK_EQ(strlen(small), 19);
    kit_done("reset");
}

TEST(state_has_xens_time)
{
    uint64_t before;

    process_reset(2);
    before = process_now();
    CHECK_EQ(kit_state().time, before);
    process_run_until(before + 5000000);
    CHECK_EQ(kit_state().time, before + 5000000);
}
