/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "core-kit.h"

#define RESERVE                                                                \
    "reserve sampler=nmi frequency=97 mask=3 pages=4 queue=0 lease=10 "        \
    "budget=10"

/* Each in a host with no session. */
static const struct {
    const char *line;
    int error;
    const char *message;
} bad[] = {
    {"", 22, "no such command"},
    {"   ", 22, "no such command"},
    {"sart", 22, "no such command"},
    {"starts", 22, "no such command"},
    {"star", 22, "no such command"},
    {"start=1", 22, "no such command"},
    {"start now", 22, "'now' is not a KEY=VALUE that start takes"},
    {"reserve", 22, "reserve needs sampler="},
    {"reserve sampler=nmi", 22, "reserve needs frequency="},
    {"reserve sampler=pmus", 22, "sampler= must be nmi, timer or pmu"},
    {"reserve sampler=", 22, "sampler= must be nmi, timer or pmu"},
    {"reserve sampler=nmis", 22, "sampler= must be nmi, timer or pmu"},
    {"reserve frequency=0", 34, "frequency=0 is not between 1 and 5000"},
    {"reserve frequency=5001", 34, "frequency=5001 is not between 1 and 5000"},
    {"reserve frequency=-1", 22, "frequency= takes a decimal number"},
    {"reserve frequency=1e3", 22, "frequency= takes a decimal number"},
    {"reserve frequency=0x10", 22, "frequency= takes a decimal number"},
    {"reserve frequency=", 22, "frequency= takes a decimal number"},
    {"reserve frequency=18446744073709551617", 22,
     "frequency= takes a decimal number"},
    {"reserve frequency=97 frequency=97", 22, "frequency= is given twice"},
    {"reserve pages=0", 34, "pages=0 is not between 1 and 256"},
    {"reserve pages=257", 34, "pages=257 is not between 1 and 256"},
    {"reserve queue=1025", 34, "queue=1025 is not between 0 and 1024"},
    {"reserve lease=86401", 34, "lease=86401 is not between 0 and 86400"},
    {"reserve budget=1001", 34, "budget=1001 is not between 0 and 1000"},
    {"reserve insist=2", 34, "insist=2 is not between 0 and 1"},
    {"reserve id=1", 22, "'id' is not a KEY=VALUE that reserve takes"},
    {"reserve =1", 22, "'' is not a KEY=VALUE that reserve takes"},
    {"reserve frequency", 22,
     "'frequency' is not a KEY=VALUE that reserve takes"},
    {"reserve \033[2Jred", 22,
     "'?[2Jred' is not a KEY=VALUE that reserve takes"},
    {"reserve a-word-that-is-much-too-long=1", 22,
     "'a-word-that-is-much-too' is not a KEY=VALUE that reserve takes"},
    {"reserve sampler=nmi frequency=97 mask=3 pages=3 queue=0 lease=0 "
     "budget=0",
     22, "pages=3 is not a power of two"},
    {"domain id=32752 vcpus=1", 34, "id=32752 is not between 0 and 32751"},
    {"domain id=1 vcpus=0", 34, "vcpus=0 is not between 1 and 8192"},
    {"domain id=1 vcpus=8193", 34, "vcpus=8193 is not between 1 and 8192"},
    {"domain id=1 vcpus=1 uuid=12", 22, "uuid= takes 32 hexadecimal digits"},
    {"domain id=1 vcpus=1 uuid=0505050505050505050505050505050g", 22,
     "uuid= takes 32 hexadecimal digits"},
    {"domain id=1 vcpus=1 uuid=" KIT_UUID_5 "0", 22,
     "uuid= takes 32 hexadecimal digits"},
    {"domain id=1 vcpus=1 uuid=" KIT_UUID_5 " kind=hidden", 22,
     "kind= must be passive or active"},
    {"domain id=1 vcpus=1 uuid=" KIT_UUID_5, 22, "domain needs kind="},
    {"domain id=1 vcpus=1 kind=passive", 22, "domain needs uuid="},
    {"forget", 22, "forget needs id="},
    {"forget id=x", 22, "id= takes a decimal number"},
    {"release", 22, "release needs ring="},
    {"release ring=8192", 34, "ring=8192 is not between 0 and 8191"},
    {"pcpus", 22, "pcpus needs set="},
    {"domain id=1 vcpus=1 uuid=" KIT_UUID_5 " kind=passive", 2,
     "there is no session; reserve one"},
    {"forget id=1", 2, "there is no session; reserve one"},
    {"release ring=1", 2, "there is no session; reserve one"},
    {"pcpus set=0", 2, "there is no session; reserve one"},
    {"start", 2, "there is no session to start"},
    {"stop", 2, "there is no session to stop"},
};

TEST(command_with_a_bad_value)
{
    process_reset(4);
    for ( unsigned int i = 0; i < sizeof(bad) / sizeof(*bad); i++ )
    {
        kit_refused(bad[i].error, bad[i].message, bad[i].line);
        CHECK_EQ(kit_state().state, XENOPROF_STATE_LOADED);
        CHECK_EQ(process_host()->allocated, 0);
        CHECK_EQ(process_host()->shared, 0);
    }
}

TEST(command_with_a_part_that_samples_do_not_have)
{
    char line[64], message[64];

    snprintf(line, sizeof(line), "reserve mask=%u", XENOPROF_PARTS_ALL + 1);
    snprintf(message, sizeof(message), "mask=%u is not between 0 and %u",
             XENOPROF_PARTS_ALL + 1, XENOPROF_PARTS_ALL);
    process_reset(1);
    kit_refused(34, message, line);
    CHECK_EQ(kit_state().state, XENOPROF_STATE_LOADED);
    CHECK_EQ(process_host()->allocated, 0);
}

TEST(command_with_blanks_and_newline)
{
    process_reset(1);
    kit_done("  " RESERVE "  insist=1 \n");
    kit_done("domain  id=5   vcpus=1 "
             "uuid=05050505-0505-0505-0505-050505050505 kind=active\n");
    kit_done("reset\n");
}

TEST(command_that_is_too_long)
{
    char line[XENOPROF_COMMAND_MAX + 40];

    process_reset(1);
    memset(line, ' ', sizeof(line));
    memcpy(line, "reset", 5);
    line[XENOPROF_COMMAND_MAX - 1] = 0;
    kit_done(line);
    line[XENOPROF_COMMAND_MAX - 1] = ' ';
    line[XENOPROF_COMMAND_MAX + 39] = 0;
    kit_refused(34, "a command has at most 8191 characters", line);
}

static const struct {
    const char *set;
    int error;
    const char *message;
} sets[] = {
    {"4", 34, "there is no pCPU 4; the last is 3"},
    {"0-4", 34, "there is no pCPU 4; the last is 3"},
    {"0,99999999999", 34, "there is no pCPU 99999999999; the last is 3"},
    {"3-2", 22, "set= takes a list such as 0-3,7"},
    {"a", 22, "set= takes a list such as 0-3,7"},
    {"1,", 22, "set= takes a list such as 0-3,7"},
    {",1", 22, "set= takes a list such as 0-3,7"},
    {"1,,2", 22, "set= takes a list such as 0-3,7"},
    {"1-", 22, "set= takes a list such as 0-3,7"},
    {"-1", 22, "set= takes a list such as 0-3,7"},
    {"1-2-3", 22, "set= takes a list such as 0-3,7"},
    {"1;2", 22, "set= takes a list such as 0-3,7"},
};

TEST(command_with_a_list)
{
    process_reset(4);
    kit_done(RESERVE);
    kit_done("pcpus set=1,3");
    CHECK_EQ(kit_status()->pcpus, 2);
    for ( unsigned int i = 0; i < sizeof(sets) / sizeof(*sets); i++ )
    {
        char line[64] = "pcpus set=";

        strcat(line, sets[i].set);
        kit_refused(sets[i].error, sets[i].message, line);
        CHECK_EQ(kit_status()->pcpus, 2);
    }
    kit_done("pcpus set=0-3");
    CHECK_EQ(kit_status()->pcpus, 4);
    kit_done("pcpus set=2,2,1-2");
    CHECK_EQ(kit_status()->pcpus, 2);
    process_set_offline(1);
    process_set_offline(2);
    kit_refused(22, "none of the chosen pCPUs is online", "start");
    CHECK_EQ(kit_state().state, XENOPROF_STATE_RESERVED);
    kit_done("reset");
}
