/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sums of rings: however many have ended, a round sees those that live. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/accounts.h"
#include "tests/harness.h"

static char folder[64];
static struct xenoprof_handle *handle;
static struct xenoprof_writer *writer;

static void begin_session(void)
{
    strcpy(folder, "/tmp/xenoprof-test-XXXXXX");
    CHECK(mkdtemp(folder));
    handle = xenoprof_open();
    CHECK_EQ(xenoprof_writer_create(handle, folder, &writer), 0);
}

static void end_session(void)
{
    char path[128];

    xenoprof_writer_destroy(writer);
    xenoprof_close(handle);
    for ( unsigned int i = 0; i < 10; i++ )
    {
        snprintf(path, sizeof(path), "%s/DATA.%04u", folder, i);
        unlink(path);
    }
    CHECK_EQ(rmdir(folder), 0);
}

static struct account *add(struct accounts *accounts, uint32_t ring,
                           uint32_t generation, uint16_t domain)
{
    struct xenoprof_ring_info info = {
        .ring = ring,
        .generation = generation,
        .domain = domain,
        .kind = XENOPROF_RING_VCPU,
        .made = 5,
        .committed = 4,
    };
    struct account *account;

    info.uuid[0] = (uint8_t)domain;
    info.lost[XENOPROF_LOST_RING] = 1;
    account = accounts_get(accounts, &info);
    CHECK(account != NULL);
    account->read = 3;
    account->dropped = 1;
    return account;
}

static void end(struct account *account)
{
    account->live = false;
    account->info.state = XENOPROF_RING_CLOSED;
}

static uint64_t sum(const struct accounts *accounts, uint64_t *rings)
{
    struct account_totals totals;

    accounts_total(accounts, &totals);
    *rings = totals.rings;
    CHECK_EQ(totals.made, 5 * totals.rings);
    CHECK_EQ(totals.read, 3 * totals.rings);
    CHECK_EQ(totals.lost, 2 * totals.rings);
    CHECK_EQ(totals.lost_by_cause[XENOPROF_LOST_RING], totals.rings);
    CHECK_EQ(totals.lost_by_cause[XENOPROF_LOST_DAEMON], totals.rings);
    return totals.made;
}

/* A host with 200 rings where 20,000 came and went. */
TEST(accounts_of_rings_that_ended_cost_no_round)
{
    enum { LIVE = 200, DEAD = 20000, DOMAINS = 50 };
    struct accounts accounts;
    uint64_t rings;

    begin_session();
    accounts_init(&accounts);
    for ( uint32_t i = 0; i < LIVE; i++ )
        add(&accounts, i, 1, 0);
    for ( uint32_t i = 0; i < DEAD; i++ )
    {
        end(add(&accounts, LIVE + i % 1700, 2 + i,
                (uint16_t)(1 + i % DOMAINS)));
        if ( i % 4 == 3 )
            accounts_retire(&accounts, writer);
        CHECK(accounts.count <= LIVE + 4);
    }
    CHECK_EQ(accounts.count, LIVE);
    CHECK_EQ(accounts.ended.count, DOMAINS);
    sum(&accounts, &rings);
    CHECK_EQ(rings, LIVE + DEAD);
    for ( uint32_t i = 0; i < LIVE; i++ )
        CHECK_EQ(add(&accounts, i, 1, 0) - accounts.items, i);
    accounts_free(&accounts);
    end_session();
}

/* Samples that are not in a block yet keep their ring's account. */
TEST(accounts_wait_for_pending_samples)
{
    struct accounts accounts;
    struct account *account;
    uint64_t rings;

    begin_session();
    accounts_init(&accounts);
    account = add(&accounts, 7, 9, 3);
    account->pending = 1;
    end(account);
    accounts_retire(&accounts, writer);
    CHECK_EQ(accounts.count, 1);
    accounts.items[0].pending = 0;
    accounts_retire(&accounts, writer);
    CHECK_EQ(accounts.count, 0);
    sum(&accounts, &rings);
    CHECK_EQ(rings, 1);
    accounts_free(&accounts);
    end_session();
}

/* The number of a domain that is gone may be another's. */
TEST(accounts_are_found_by_their_vcpu)
{
    enum { LIVE = 3000 };
    struct accounts accounts;
    struct account *first;

    begin_session();
    accounts_init(&accounts);
    first = add(&accounts, 0, 1, 9);
    CHECK(accounts_of_vcpu(&accounts, 9, 0) == first);
    CHECK(!accounts_of_vcpu(&accounts, 9, 1));
    end(first);
    CHECK(!accounts_of_vcpu(&accounts, 9, 0));
    CHECK_EQ(add(&accounts, 1, 2, 9) - accounts.items, 1);
    CHECK_EQ(accounts_of_vcpu(&accounts, 9, 0) - accounts.items, 1);
    accounts_retire(&accounts, writer);
    CHECK_EQ(accounts_of_vcpu(&accounts, 9, 0) - accounts.items, 0);
    for ( uint16_t i = 0; i < LIVE; i++ )
        add(&accounts, 2 + i, 3, (uint16_t)(10 + i));
    for ( uint16_t i = 0; i < LIVE; i++ )
        CHECK_EQ(accounts_of_vcpu(&accounts, (uint16_t)(10 + i), 0) -
                     accounts.items,
                 1 + i);
    accounts_free(&accounts);
    end_session();
}

/* The list of sums has an end as well. */
TEST(accounts_of_many_domains_are_one_sum)
{
    enum { OWNERS = 2 * RING_SUMS_MAX };
    const struct xenoprof_ring_owner others = {.domain = XENOPROF_OTHERS};
    struct accounts accounts;
    const struct xenoprof_ring_sum *sums;
    uint64_t rings;

    begin_session();
    accounts_init(&accounts);
    for ( uint32_t i = 0; i < OWNERS; i++ )
    {
        end(add(&accounts, 1, i, (uint16_t)i));
        accounts_retire(&accounts, writer);
    }
    CHECK(accounts.ended.count <= RING_SUMS_MAX);
    sums = table_find(&accounts.ended, &others);
    CHECK(sums != NULL);
    CHECK_EQ(sums->rings, OWNERS - (accounts.ended.count - 1));
    CHECK_EQ(sum(&accounts, &rings), 5 * OWNERS);
    CHECK_EQ(rings, OWNERS);
    accounts_free(&accounts);
    end_session();
}

static void put_ring(const struct account *account)
{
    CHECK_EQ(xenoprof_writer_ring(writer, &account->info, account->read,
                                  account_lost_daemon(account), 0),
             0);
}

/* A daemon that is killed after a file was full leaves sums. */
TEST(accounts_go_on_with_the_sums_of_a_session)
{
    struct accounts accounts, later;
    uint64_t rings;

    begin_session();
    accounts_init(&accounts);
    accounts_init(&later);
    for ( uint32_t i = 0; i < 5; i++ )
    {
        struct account *account = add(&accounts, i, 1, (uint16_t)(i % 2));

        end(account);
        put_ring(account);
    }
    CHECK_EQ(xenoprof_writer_flush(writer), 0);
    accounts_retire(&accounts, writer);
    CHECK_EQ(xenoprof_writer_past_rings(writer), 0);
    CHECK_EQ(xenoprof_writer_rotate(writer), 0);
    put_ring(add(&accounts, 9, 1, 0));
    CHECK_EQ(xenoprof_writer_flush(writer), 0);
    xenoprof_writer_destroy(writer);
    CHECK_EQ(xenoprof_writer_reopen(handle, folder, &writer), 0);
    CHECK_EQ(xenoprof_writer_past_rings(writer), 1);
    CHECK(accounts_resume(&later, writer));
    CHECK_EQ(later.ended.count, 2);
    CHECK_EQ(sum(&later, &rings), 25);
    CHECK_EQ(rings, 5);
    accounts_free(&accounts);
    accounts_free(&later);
    end_session();
}
