/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guests that kill what looks at them, or never let it end, and those beside
 * them, who lose nothing by it; and what all guests together may use.
 */
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/parser/process-run.h"
#include "cage/privileges.h"
#include "tests/harness.h"
#include "guests-kit.h"
#include "tests/unit/daemon/parser/parser-stub.h"

static struct guests_kit kit;

TEST(guests_whose_memory_cannot_be_read)
{
    struct guest_sample sample;
    struct guest_chain chain;

    guests_kit_begin(&kit, 'K');
    kit.host.missing[1] = true;
    for ( int i = 0; i < 20; i++ )
    {
        sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
        kit.now += 1000 * SECOND;
        CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_STRANGE);
    }
    CHECK(strstr(guests_kit_fact(&kit), "cannot be read"));
    kit.host.missing[1] = false;
    /* It was tried often enough. */
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_STRANGE);
    guests_kit_end(&kit);
}

static void die_at_once(const struct process_order *order, int socket)
{
    (void)order;
    (void)socket;
    raise(SIGSYS);
}

/* As a libc does whose system calls the filter does not know. */
TEST(guests_whose_searches_cannot_begin)
{
    struct guest_sample sample;
    struct guest_chain chain;

    guests_kit_begin(&kit, 'K');
    guests_kit_restart(&kit, die_at_once);
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_NEW);
    CHECK(!guests_cannot_begin(kit.guests));
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_NEW);
    CHECK(guests_cannot_begin(kit.guests));
    guests_kit_restart(&kit, process_run);
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    CHECK(!guests_cannot_begin(kit.guests));
    guests_kit_end(&kit);
}

TEST(guests_that_kill_twice_are_banned)
{
    const struct domain_list nobody = {0};
    struct guest_sample sample;
    struct guest_chain chain;

    guests_kit_begin(&kit, 'C');
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_NEW);
    kit.now += 100 * SECOND;
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_BANNED);
    CHECK(strstr(guests_kit_fact(&kit), "none: "));
    CHECK_EQ(chain.count, 1);
    kit.host.frames[FRAME][0] = 'K';
    kit.now += 1000 * SECOND;
    sample = guests_kit_sample(&kit, KERNEL + 0x210, KERNEL + 0x500);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_BANNED);
    CHECK_EQ(chain.count, 1);
    guests_kit_check_symbol(&kit, chain.places[0], "kernel", "");
    /* A reboot clears nothing. */
    kit.guests->grace = 0;
    guests_keep(kit.guests, &nobody);
    guests_keep(kit.guests, &nobody);
    sample.domain = 3;
    CHECK_EQ(guests_find(kit.guests, &sample)->state, GUEST_BANNED);
    guests_kit_end(&kit);
}

/* Each is looked for beside the others, a few at a time. */
TEST(guests_that_are_new_together)
{
    uint8_t uuids[SEARCHES_MAX + 1][16] = {{0}};
    struct guest_sample samples[SEARCHES_MAX + 1];

    guests_kit_begin(&kit, 'P');
    for ( uint16_t i = 0; i <= SEARCHES_MAX; i++ )
    {
        memset(uuids[i], 40 + i, 16);
        samples[i] = guests_kit_sample(&kit, KERNEL + 0x210, 0);
        samples[i].domain = 40 + i;
        samples[i].uuid = uuids[i];
        CHECK_EQ(guests_look(kit.guests, kit.writer, &samples[i]), XENOPROF_OK);
        CHECK(guests_is_searched(kit.guests, 40 + i, uuids[i]));
    }
    CHECK_EQ(kit.guests->searches, SEARCHES_MAX);
    for ( int i = 0; kit.guests->searches; i++ )
    {
        CHECK(i < 300);
        CHECK_EQ(guests_work(kit.guests, kit.writer, SECOND / 10), XENOPROF_OK);
        CHECK_EQ(guests_look(kit.guests, kit.writer, &samples[SEARCHES_MAX]),
                 XENOPROF_OK);
    }
    for ( uint16_t i = 0; i <= SEARCHES_MAX; i++ )
        CHECK_EQ(guests_find(kit.guests, &samples[i])->state, GUEST_KNOWN);
    guests_kit_end(&kit);
}

/* A kernel that takes its process with it is between the two of them: nobody
 * else loses a stack, or is blamed. */
TEST(guests_are_not_blamed_for_others)
{
    static const uint8_t other[16] = {3, 3, 3, 3, 3, 3, 3, 3,
                                      3, 3, 3, 3, 3, 3, 3, 3};
    struct guest_sample good, bad;
    struct guest_chain chain;

    guests_kit_begin(&kit, 'K');
    good = guests_kit_sample(&kit, KERNEL + 0x210, KERNEL + 0x500);
    CHECK_EQ(guests_kit_take(&kit, &good, &chain), GUEST_KNOWN);
    kit.host.frames[FRAME][0] = 'C';
    bad = good;
    bad.domain = 3;
    bad.uuid = other;
    for ( int i = 0;
          i < 20 && guests_find(kit.guests, &bad)->state != GUEST_BANNED; i++ )
    {
        bad.time = kit.now += 100 * SECOND;
        CHECK_EQ(guests_look(kit.guests, kit.writer, &bad), XENOPROF_OK);
        /* While the bad one's search crashes. */
        good = guests_kit_sample(&kit, KERNEL + 0x210, KERNEL + 0x500);
        CHECK_EQ(guests_kit_take(&kit, &good, &chain), GUEST_KNOWN);
        CHECK_EQ(chain.count, 2);
        for ( int j = 0; kit.guests->searches; j++ )
        {
            CHECK(j < 300);
            CHECK_EQ(guests_work(kit.guests, kit.writer, SECOND / 10),
                     XENOPROF_OK);
        }
    }
    CHECK_EQ(guests_find(kit.guests, &bad)->state, GUEST_BANNED);
    CHECK_EQ(guests_find(kit.guests, &good)->state, GUEST_KNOWN);
    CHECK_EQ(
        guests_account(kit.guests, guests_find(kit.guests, &good))->strikes, 0);
    guests_kit_end(&kit);
}

/* A search that never ends takes nothing from the others. */
TEST(guests_beside_one_that_never_ends)
{
    static const uint8_t other[16] = {3, 3, 3, 3, 3, 3, 3, 3,
                                      3, 3, 3, 3, 3, 3, 3, 3};
    struct guest_sample good, bad;
    struct guest_chain chain;

    guests_kit_begin(&kit, 'L');
    bad = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    bad.domain = 3;
    bad.uuid = other;
    CHECK_EQ(guests_look(kit.guests, kit.writer, &bad), XENOPROF_OK);
    for ( unsigned int reads = kit.host.reads; reads == kit.host.reads; )
        CHECK_EQ(guests_work(kit.guests, kit.writer, SECOND / 10), XENOPROF_OK);
    kit.host.frames[FRAME][0] = 'K';
    good = guests_kit_sample(&kit, KERNEL + 0x210, KERNEL + 0x500);
    CHECK_EQ(guests_kit_take(&kit, &good, &chain), GUEST_KNOWN);
    CHECK_EQ(chain.count, 2);
    guests_kit_check_symbol(&kit, chain.places[0], "kernel", "function_2");
    CHECK(guests_is_searched(kit.guests, 3, other));
    guests_kit_end(&kit);
}

/* Who used up his time has addresses, until he may work again. */
TEST(guests_that_used_their_time)
{
    struct guest_sample sample;
    struct guest_account *account;
    struct guest_chain chain;

    guests_kit_begin(&kit, 'K');
    sample = guests_kit_sample(&kit, KERNEL + 0x210, KERNEL + 0x500);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    CHECK_EQ(chain.count, 2);
    account = guests_account(kit.guests, guests_find(kit.guests, &sample));
    account->cpu = GUEST_CPU_FREE + SECOND;
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    CHECK_EQ(chain.count, 1);
    account->since -= 30 * SECOND;
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    CHECK_EQ(chain.count, 2);
    guests_kit_end(&kit);
}

/* All that the daemon does for searches and walkers is allowed to it. */
TEST(guests_behind_the_daemons_filter)
{
    struct guest_sample sample;
    struct guest_chain chain;
    struct failure failure;
    int status;
    pid_t pid;

    guests_kit_begin(&kit, 'K');
    pid = fork();
    if ( pid == 0 )
    {
        sample = guests_kit_sample(&kit, KERNEL + 0x210, KERNEL + 0x500);
        if ( privileges_filter(&failure) )
            _exit(2);
        guests_kit_take(&kit, &sample, &chain);
        /* Not _exit(): before that, sanitizers make a call of their own. */
        syscall(SYS_exit_group,
                guests_kit_take(&kit, &sample, &chain) != GUEST_KNOWN ||
                    chain.count != 2);
    }
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
    guests_kit_end(&kit);
}

/* Its samples come when another guest has its number: that one's memory says
 * nothing of it. */
TEST(guests_whose_number_is_given_again)
{
    static const uint8_t before[16] = {9};
    struct guest_sample sample;
    struct guest_chain chain;

    guests_kit_begin(&kit, 'K');
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    sample.uuid = before;
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_STRANGE);
    CHECK_EQ(kit.guests->searches, 0);
    sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
    CHECK_EQ(guests_kit_take(&kit, &sample, &chain), GUEST_KNOWN);
    guests_kit_end(&kit);
}

TEST(guests_more_than_there_is_room_for)
{
    struct guest_sample sample;
    struct guest_chain chain;
    uint8_t uuid[16] = {0};

    guests_kit_begin(&kit, 'K');
    for ( unsigned int i = 0; i < GUESTS_MAX + 10; i++ )
    {
        sample = guests_kit_sample(&kit, KERNEL + 0x210, 0);
        sample.registers = NULL;
        sample.uuid = uuid;
        memcpy(uuid, &i, sizeof(i));
        CHECK_EQ(guests_look(kit.guests, kit.writer, &sample), XENOPROF_OK);
        CHECK_EQ(guests_chain(kit.guests, kit.writer, &sample, &chain),
                 XENOPROF_OK);
        CHECK_EQ(chain.count, 1);
    }
    guests_kit_end(&kit);
}
