/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fetch lists that dom0 gets wrong are refused whole, by the door and by the
 * same check in dom0.
 */
#include <stdio.h>

#include "hypervisor/fetch/fetch-list.h"
#include "tests/unit/hypervisor/core-kit.h"

#define STEPS "steps=0:0:8:f,1:2416:8:s,1:2776:8:s,1:2976:16:s "
#define STEP_REFUSED                                                           \
    " is not FROM:OFFSET:LENGTH:s, with 8 to 32 bytes, or :f, with 8, from 0 " \
    "or a step before that is followed"

static void end(void)
{
    kit_done("reset");
    CHECK_EQ(process_host()->allocated, 0);
}

static void refuse_steps(const char *step, const char *steps)
{
    char line[256], sentence[XENOPROF_MESSAGE_MAX + 80];

    snprintf(line, sizeof(line),
             "fetch id=5 list=1 steps=%s bases=ffff888000000000", steps);
    snprintf(sentence, sizeof(sentence), "step %s" STEP_REFUSED, step);
    sentence[XENOPROF_MESSAGE_MAX - 1] = 0;
    kit_refused(22, sentence, line);
}

TEST(fetch_list_steps_that_are_refused)
{
    uint64_t before;

    kit_session(1);
    before = process_host()->allocated;
    refuse_steps("1", "");
    refuse_steps("1", "0:0:8");
    refuse_steps("1", "0:0:8:x");
    refuse_steps("1", "0:0:0:s");
    refuse_steps("1", "0:0:12:s");
    refuse_steps("1", "0:0:40:s");
    refuse_steps("1", "0:0:16:f");
    refuse_steps("1", "0:16777216:8:s");
    refuse_steps("1", "-1:0:8:s");
    refuse_steps("1", "0:-8:8:s");
    refuse_steps("1", "0:0:264:s");
    refuse_steps("1", "256:0:8:s");
    refuse_steps("1", "99999999999999999999:0:8:s");
    CHECK_EQ(process_host()->allocated, before);
    end();
}

/* From itself, from one behind it, or from bytes that are no address. */
TEST(fetch_list_steps_in_a_circle_are_refused)
{
    kit_session(1);
    refuse_steps("1", "1:0:8:f");
    refuse_steps("1", "2:0:8:f,1:0:8:f");
    refuse_steps("2", "0:0:8:f,2:0:8:s");
    refuse_steps("2", "0:0:8:s,1:0:8:s");
    end();
}

TEST(fetch_list_with_too_much_or_nothing_is_refused)
{
    kit_session(1);
    kit_refused(34, "a fetch list has at most 8 steps",
                "fetch id=5 list=1 steps=0:0:8:f,0:0:8:f,0:0:8:f,0:0:8:f,"
                "0:0:8:f,0:0:8:f,0:0:8:f,0:0:8:f,0:0:8:s bases=0");
    kit_refused(34, "the steps store 0 bytes, not 8 to 48",
                "fetch id=5 list=1 steps=0:0:8:f bases=0");
    kit_refused(34, "the steps store 56 bytes, not 8 to 48",
                "fetch id=5 list=1 steps=0:0:32:s,0:0:24:s bases=0");
    kit_refused(22, "steps= takes a list such as 0:0:8:f,1:64:16:s",
                "fetch id=5 list=1 steps=0:0:8:s; bases=0");
    kit_refused(34, "bases= takes at most 2 addresses",
                "fetch id=5 list=1 steps=0:0:8:s bases=0,0,0");
    kit_refused(22, "fetch needs list=, steps= and bases=, or none of them",
                "fetch id=5 list=1 bases=0");
    kit_refused(22, "fetch needs list=, steps= and bases=, or none of them",
                "fetch id=5 isolated=1");
    kit_refused(34, "list=0 is not between 1 and 65535",
                "fetch id=5 list=0 steps=0:0:8:s bases=0");
    kit_refused(2, "domain 6 is not profiled",
                "fetch id=6 list=1 steps=0:0:8:s bases=0");
    end();
}

TEST(fetch_list_bases_that_are_refused)
{
#define BASES "fetch id=5 list=1 steps=0:0:8:s bases="
    static const struct {
        const char *line, *sentence;
    } wrong[] = {
        {BASES, "base 0 is neither a hexadecimal address of a kernel nor 0"},
        {BASES "7fffffffe000",
         "base 0 is neither a hexadecimal address of a kernel nor 0"},
        {BASES "feffffffffffffff",
         "base 0 is neither a hexadecimal address of a kernel nor 0"},
        {BASES "1ffff888000000000",
         "base 0 is neither a hexadecimal address of a kernel nor 0"},
        {BASES "ffff888000000000,",
         "base 1 is neither a hexadecimal address of a kernel nor 0"},
        {BASES "ffff888000000000,0x8",
         "bases= takes a list of hexadecimal addresses"},
    };

    kit_session(1);
    for ( unsigned int i = 0; i < sizeof(wrong) / sizeof(*wrong); i++ )
        kit_refused(22, wrong[i].sentence, wrong[i].line);
    kit_done(BASES "ff00000000000000,ffffffffffffffff");
    end();
}

TEST(fetch_list_without_memory_is_refused)
{
    kit_session(1);
    process_host()->memory_left = 0;
    kit_refused(12, "Xen does not have enough free memory for a fetch list",
                "fetch id=5 list=1 " STEPS "bases=0");
    process_host()->memory_left = -1;
    end();
}

TEST(fetch_list_is_replaced_and_cleared)
{
    uint64_t before;

    kit_session(1);
    before = process_host()->allocated;
    for ( int i = 0; i < 3; i++ )
    {
        kit_done("fetch id=5 list=7 " STEPS "bases=ffff888000000000");
        CHECK_EQ(process_host()->allocated, before + 1);
    }
    kit_done("fetch id=5");
    CHECK_EQ(process_host()->allocated, before);
    kit_done("fetch id=5");
    kit_done("fetch id=5 list=8 isolated=1 " STEPS "bases=ffff888000000000");
    kit_done("forget id=5");
    CHECK(process_host()->allocated < before);
    end();
}

TEST(fetch_list_ends_with_its_session)
{
    kit_session(1);
    kit_done("fetch id=5 list=7 " STEPS "bases=ffff888000000000");
    end();
}

/* As many vCPUs as may have one, in one line. */
TEST(fetch_list_of_a_domain_with_many_vcpus)
{
    static char line[XENOPROF_COMMAND_MAX];
    int at;

    kit_session(1);
    kit_done("forget id=5");
    while (
        kit_command("domain id=5 vcpus=600 uuid=" KIT_UUID_5 " kind=passive") )
        CHECK_EQ(kit_state().message[0] != 0, 1);
    at = sprintf(line, "fetch id=5 list=65535 " STEPS "bases=");
    for ( unsigned int i = 0; i < XENOPROF_FETCH_VCPUS; i++ )
        at += sprintf(line + at, "%sffff88812345%04x", i ? "," : "", i);
    CHECK(at < (int)sizeof(line) - 20);
    kit_done(line);
    sprintf(line + at, ",0");
    kit_refused(34, "bases= takes at most 384 addresses", line);
    end();
}

/* The check that dom0 has is no other. */
TEST(fetch_list_check_in_dom0)
{
    struct xenoprof_fetch right = {
        .list = 1,
        .steps = 2,
        .vcpus = 2,
        .step = {{.length = 8, .action = XENOPROF_FETCH_FOLLOW},
                 {.from = 1, .offset = 64, .length = 16}},
        .base = {0xffff888000000000ul, 0},
    };
    struct xenoprof_fetch list;

    CHECK(xenoprof_fetch_is_right(&right));
    CHECK_EQ(xenoprof_fetch_stored(&right, 2), 16);
#define WRONG(change)                                                          \
    do                                                                         \
    {                                                                          \
        list = right;                                                          \
        list.change;                                                           \
        CHECK(!xenoprof_fetch_is_right(&list));                                \
    } while ( 0 )
    WRONG(list = 0);
    WRONG(steps = 0);
    WRONG(steps = 1);
    WRONG(steps = 9);
    WRONG(isolated = 2);
    WRONG(vcpus = 0);
    WRONG(vcpus = XENOPROF_FETCH_VCPUS + 1);
    WRONG(base[1] = 4096);
    WRONG(step[0].from = 1);
    WRONG(step[1].from = 2);
    WRONG(step[0].action = XENOPROF_FETCH_STORE);
    WRONG(step[1].action = XENOPROF_FETCH_ACTIONS);
    WRONG(step[1].length = 4);
    WRONG(step[1].reserved = 1);
    WRONG(step[1].offset = XENOPROF_FETCH_OFFSET_MAX + 1);
}
