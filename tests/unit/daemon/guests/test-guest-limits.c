/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one guest can make a session remember: a guest whose every sample has a
 * new place and a new stack must not fill dom0's memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/guests/guests.h"
#include "daemon/sample-stack.h"
#include "control/session-folders.h"
#include "tests/harness.h"
#include "guest-kit.h"

static struct guest_kit kit;
static struct guests *guests;
static struct xenoprof_handle *handle;
static struct xenoprof_writer *writer;
static char dir[64];

static const uint8_t uuids[2][16] = {{2}, {3}};

static void begin(void)
{
    char folder[80];

    guest_kit_begin(&kit);
    guests = guests_open(&kit.xen);
    handle = xenoprof_open();
    strcpy(dir, "/tmp/xenoprof-test-XXXXXX");
    CHECK(guests && handle && mkdtemp(dir));
    snprintf(folder, sizeof(folder), "%s/s", dir);
    CHECK_EQ(xenoprof_writer_create(handle, folder, &writer), XENOPROF_OK);
}

static void end(void)
{
    struct failure failure;

    guests_close(guests);
    xenoprof_writer_destroy(writer);
    xenoprof_close(handle);
    CHECK_EQ(session_delete(dir, "s", &failure), 0);
    CHECK_EQ(rmdir(dir), 0);
}

/* A sample of a process of domain 2 or 3. */
static struct guest_sample sample_of(uint16_t domain, uint64_t ip)
{
    return (struct guest_sample){
        .time = 1000,
        .domain = domain,
        .uuid = uuids[domain - 2],
        .mode = XENOPROF_MODE_USER,
        .ip = ip,
    };
}

static uint32_t place_of(uint16_t domain, uint64_t ip)
{
    const struct guest_sample sample = sample_of(domain, ip);
    struct guest_chain chain;

    CHECK_EQ(guests_chain(guests, writer, &sample, &chain), XENOPROF_OK);
    CHECK_EQ(chain.count, 1);
    return chain.places[0];
}

TEST(places_of_a_guest_have_an_end)
{
    uint32_t first, last = 0, other;

    begin();
    first = place_of(2, 0x1000);
    for ( uint32_t i = 1; i < GUEST_PLACES_MAX; i++ )
        last = place_of(2, 0x1000 + i);
    CHECK_EQ(last - first, GUEST_PLACES_MAX - 1);
    /* All new code shares one place; known places stay. */
    other = place_of(2, 0x7000000);
    CHECK_EQ(other, last + 1);
    CHECK_EQ(place_of(2, 0x7000001), other);
    CHECK(xenoprof_writer_known(writer, 2, XENOPROF_MODE_USER, 0, &last));
    CHECK_EQ(last, other);
    CHECK_EQ(place_of(2, 0x1000), first);
    /* Another guest has its own. */
    CHECK_EQ(place_of(3, 0x7000001), other + 1);
    end();
}

/* Another number for the same uuid, as after a reboot: the old one is gone. */
TEST(places_of_a_guest_that_reboots_have_an_end)
{
    const struct domain_list nobody = {0};
    struct guest_sample sample;
    struct guest_chain chain;
    uint32_t other;

    begin();
    guest_accounts_get(&guests->accounts, uuids[0])->places_made =
        GUEST_PLACES_MAX - 1;
    place_of(2, 0x1000);
    other = place_of(2, 0x2000);
    guests->grace = 0;
    guests_keep(guests, &nobody);
    guests_keep(guests, &nobody);
    for ( uint16_t life = 4; life < 8; life++ )
    {
        sample = sample_of(2, 0x3000 + life);
        sample.domain = life;
        CHECK_EQ(guests_chain(guests, writer, &sample, &chain), XENOPROF_OK);
        other = life == 4 ? chain.places[0] : other;
        sample.ip = 0x4000;
        CHECK_EQ(guests_chain(guests, writer, &sample, &chain), XENOPROF_OK);
        /* One place of each number, which is that of unknown code. */
        CHECK_EQ(chain.places[0], other + life - 4);
    }
    end();
}

/* As if a module were loaded again and again under other names. */
static char name[16];

static bool name_it(void *self, const struct xenoprof_sample *at,
                    struct xenoprof_symbol *ret)
{
    (void)self;
    *ret = (struct xenoprof_symbol){.name = name, .start = at->ip};
    return true;
}

TEST(names_of_a_place_count_too)
{
    static const uint8_t dom0[16];
    struct guest_sample sample = sample_of(2, 0xffffffff81000000);
    struct guest_chain chain;
    struct guest_account *account;
    uint32_t first, last;

    begin();
    guests->name_dom0 = name_it;
    sample.domain = 0;
    sample.uuid = dom0;
    sample.mode = XENOPROF_MODE_KERNEL;
    account = guest_accounts_get(&guests->accounts, dom0);
    account->places_made = GUEST_PLACES_MAX - 3;
    for ( int i = 0; i < 5; i++ )
    {
        snprintf(name, sizeof(name), "name_%d", i);
        address_table_clear(&guests_find(guests, &sample)->places[1]);
        CHECK_EQ(guests_chain(guests, writer, &sample, &chain), XENOPROF_OK);
        last = chain.places[0];
        first = i ? first : last;
    }
    CHECK_EQ(last - first, 2);
    CHECK_EQ(account->places_made, GUEST_PLACES_MAX);
    end();
}

/* Xen at work for domain 2, which was at ip. */
static struct xenoprof_stored store(uint64_t ip)
{
    struct places places = {.xen = &kit.xen, .handle = handle};
    const struct stack_sources sources = {
        .places = &places, .guests = guests, .below_xen = true};
    const struct {
        struct xenoprof_chain head;
        uint64_t addresses[2];
    } chain = {{2, 0}, {0xffff82d040200000, 0xffff82d040200100}};
    const struct xenoprof_guest there = {.ip = ip, .mode = XENOPROF_MODE_USER};
    const struct xenoprof_sample sample = {.time = 1000,
                                           .ip = chain.addresses[0],
                                           .domain = 2,
                                           .mode = XENOPROF_MODE_XEN};
    const struct xenoprof_view view = {
        .sample = &sample, .guest = &there, .xen_stack = &chain.head};
    struct xenoprof_stored stored = {.mode = XENOPROF_MODE_XEN};
    struct stack_last last = {0};

    places_reset(&places);
    CHECK_EQ(
        sample_stack_store(&sources, writer, &view, uuids[0], &last, &stored),
        XENOPROF_OK);
    CHECK(stored.place);
    places_close(&places);
    return stored;
}

TEST(stacks_of_a_guest_have_an_end)
{
    struct guest_account *account;
    struct xenoprof_stored cut;

    begin();
    CHECK_EQ(store(0x1000).stack, 3);
    account = guest_accounts_get(&guests->accounts, uuids[0]);
    /* Xen's frames are not its. */
    CHECK_EQ(account->frames_made, 1);
    account->frames_made = GUEST_FRAMES_ALL;
    /* Known stacks are still stored; new ones are cut to Xen's part. */
    CHECK_EQ(store(0x1000).stack, 3);
    cut = store(0x2000);
    CHECK_EQ(xenoprof_stored_ended(&cut), XENOPROF_ENDED_STACKS);
    CHECK_EQ(cut.stack, 2);
    CHECK_EQ(account->frames_made, GUEST_FRAMES_ALL);
    /* In the next file it may add as many again. */
    guests_forget_places(guests);
    CHECK_EQ(account->frames_made, 0);
    CHECK_EQ(store(0x2000).stack, 3);
    end();
}

/* Who would be better off with a new account keeps his. */
TEST(accounts_of_guests_that_are_gone_have_an_end)
{
    enum { LIVES = 10000, ALIVE = 3, DEBTORS = 7 };
    struct guest_accounts accounts;
    struct table alive;
    uint8_t uuid[16] = {0};

    guest_accounts_init(&accounts);
    table_init(&alive, sizeof(uuid), sizeof(uuid));
    for ( uint32_t i = 0; i < LIVES; i++ )
    {
        struct guest_account *account;

        memcpy(uuid, &i, sizeof(i));
        account = guest_accounts_get(&accounts, uuid);
        account->places_made = 10;
        account->strikes = i == 10;
        account->replaced = i == 11;
        account->cpu = i == 12 ? UINT64_MAX / 2 : 0;
        account->calls_left = i == 13 ? 0 : GUEST_CALLS_MAX;
        account->frames_made = i == 14 ? GUEST_FRAMES_ALL : 0;
        if ( i == 15 || i == 16 )
            account->places_made = GUEST_PLACES_MAX;
        if ( i < ALIVE )
            CHECK(table_put(&alive, uuid));
        if ( guest_accounts_are_many(&accounts, ALIVE) )
            guest_accounts_trim(&accounts, &alive);
        CHECK(accounts.table.count <=
              ALIVE + DEBTORS + 2 * GUEST_ACCOUNTS_GONE + 1);
    }
    guest_accounts_trim(&accounts, &alive);
    CHECK_EQ(accounts.table.count, ALIVE + DEBTORS + GUEST_ACCOUNTS_GONE);
    for ( uint32_t i = 0; i < LIVES; i++ )
    {
        bool kept = i < ALIVE || (i >= 10 && i < 10 + DEBTORS) ||
                    i >= LIVES - GUEST_ACCOUNTS_GONE;

        memcpy(uuid, &i, sizeof(i));
        CHECK_EQ(table_find(&accounts.table, uuid) != NULL, kept);
    }
    guest_accounts_free(&accounts);
    table_free(&alive);
}
