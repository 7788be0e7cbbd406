/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Domains come, have samples, and end.  The writer forgets them, a reader sees
 * each sample at the place and with the stack that it had.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "session-kit.h"

#define DOMAINS 5u /* at a time; number 0 stays */
#define PLACES  40u
#define DEPTH   6u

/* A domain's addresses are those of all others, its names its own. */
struct living_domain {
    uint16_t number;
    uint8_t uuid[16];
    unsigned int life;
    uint32_t places[PLACES];
};

/* Of a sample, what it should be read as. */
struct wanted_sample {
    size_t count;
    unsigned int life;
    unsigned int at[DEPTH]; /* indices of places, leaf first */
};

static struct world {
    struct session_kit *kit;
    uint64_t random;
    unsigned int lives;
    struct living_domain domains[DOMAINS];
    struct {
        VECTOR(struct wanted_sample);
    } wanted; /* by sample, whose time is its index */
} world;

static uint64_t any(uint64_t below)
{
    world.random ^= world.random << 13;
    world.random ^= world.random >> 7;
    world.random ^= world.random << 17;
    return (world.random >> 11) % below;
}

static uint64_t address_of(unsigned int at)
{
    return 0xffffffff81000000u + 0x40ul * at;
}

static void name_of(unsigned int life, unsigned int at, char name[32])
{
    snprintf(name, 32, "life%u_%u", life, at);
}

static uint32_t put_place(struct living_domain *domain, unsigned int at,
                          bool named)
{
    char name[32];

    name_of(domain->life, at, name);
    return kit_place(world.kit, domain->number, XENOPROF_MODE_KERNEL,
                     address_of(at), named ? name : NULL);
}

static void come(struct living_domain *domain, uint16_t number)
{
    char name[32], key[32];

    memset(domain, 0, sizeof(*domain));
    domain->life = ++world.lives;
    domain->number = number;
    memcpy(domain->uuid, &domain->life, sizeof(domain->life));
    snprintf(name, sizeof(name), "domain%u", domain->life);
    snprintf(key, sizeof(key), "guest_kernel_%u", number);
    KIT_OK(world.kit, xenoprof_writer_domain(world.kit->writer, 1, number,
                                             domain->uuid, name, "passive"));
    KIT_OK(world.kit,
           xenoprof_writer_attribute(world.kit->writer, 1, key, name));
}

static void end(struct living_domain *domain)
{
    char key[32];

    snprintf(key, sizeof(key), "guest_kernel_%u", domain->number);
    xenoprof_writer_attribute_ended(world.kit->writer, key);
    xenoprof_writer_domain_ended(world.kit->writer, domain->number,
                                 domain->uuid);
}

/* As in the daemon, a place has its name later, and is known by its number. */
static void sample(struct living_domain *domain)
{
    struct xenoprof_stored stored = {.time = world.wanted.count,
                                     .period = 1000000,
                                     .domain = domain->number,
                                     .mode = XENOPROF_MODE_KERNEL,
                                     .weight = 1};
    struct wanted_sample *wanted = vector_add(&world.wanted);
    uint32_t places[DEPTH];

    CHECK(wanted);
    wanted->life = domain->life;
    wanted->count = 1 + any(DEPTH);
    for ( size_t i = 0; i < wanted->count; i++ )
    {
        unsigned int at = wanted->at[i] = (unsigned int)any(PLACES);

        if ( !domain->places[at] &&
             !xenoprof_writer_known(world.kit->writer, domain->number,
                                    XENOPROF_MODE_KERNEL, address_of(at),
                                    &domain->places[at]) )
            domain->places[at] = put_place(domain, at, false);
        places[i] = domain->places[at];
    }
    KIT_OK(world.kit, xenoprof_writer_sample(world.kit->writer, &stored, places,
                                             wanted->count));
}

/* Late names: for samples that were there before, too. */
static void name_all(struct living_domain *domain)
{
    for ( unsigned int at = 0; at < PLACES; at++ )
        if ( domain->places[at] )
            CHECK_EQ(put_place(domain, at, true), domain->places[at]);
}

static void live(struct living_domain *domain, unsigned int samples)
{
    uint32_t number;

    for ( unsigned int i = 0; i < samples; i++ )
        sample(domain);
    name_all(domain);
    for ( unsigned int i = 0; i < samples; i++ )
        sample(domain);
    name_all(domain);
    for ( unsigned int at = 0; at < PLACES; at++ )
        if ( domain->places[at] )
        {
            CHECK(xenoprof_writer_known(world.kit->writer, domain->number,
                                        XENOPROF_MODE_KERNEL, address_of(at),
                                        &number));
            CHECK_EQ(number, domain->places[at]);
        }
}

struct swept_place {
    uint16_t domain;
    uint64_t address;
    char symbol[32];
};

struct swept_stack {
    uint32_t places[DEPTH];
    size_t count;
};

static struct readings {
    struct {
        VECTOR(struct swept_place);
    } places;
    struct {
        VECTOR(struct swept_stack);
    } stacks;
    struct {
        VECTOR(struct xenoprof_stored);
    } samples;
} seen;

static void see(const struct xenoprof_item *item)
{
    if ( item->kind == XENOPROF_ITEM_PLACE )
    {
        const struct xenoprof_place *place = &item->u.place.place;
        struct swept_place *to;

        while ( seen.places.count <= item->u.place.number )
            CHECK(vector_add(&seen.places));
        to = &seen.places.items[item->u.place.number];
        to->domain = place->domain;
        to->address = place->address;
        snprintf(to->symbol, sizeof(to->symbol), "%s",
                 place->symbol ? place->symbol : "");
    }
    else if ( item->kind == XENOPROF_ITEM_STACK )
    {
        while ( seen.stacks.count <= item->u.stack.number )
            CHECK(vector_add(&seen.stacks));
        CHECK(item->u.stack.count <= DEPTH);
        memcpy(seen.stacks.items[item->u.stack.number].places,
               item->u.stack.places, item->u.stack.count * sizeof(uint32_t));
        seen.stacks.items[item->u.stack.number].count = item->u.stack.count;
    }
    else if ( item->kind == XENOPROF_ITEM_SAMPLE )
    {
        struct xenoprof_stored *sample = vector_add(&seen.samples);

        CHECK(sample);
        *sample = item->u.sample;
    }
}

static void check_sample(const struct xenoprof_stored *sample)
{
    const struct wanted_sample *wanted = &world.wanted.items[sample->time];
    const uint32_t *places = &sample->place;
    char name[32];

    if ( wanted->count > 1 )
    {
        CHECK(sample->stack && sample->stack < seen.stacks.count);
        places = seen.stacks.items[sample->stack].places;
        CHECK_EQ(seen.stacks.items[sample->stack].count, wanted->count);
    }
    for ( size_t i = 0; i < wanted->count; i++ )
    {
        const struct swept_place *place = &seen.places.items[places[i]];

        CHECK(places[i] && places[i] < seen.places.count);
        CHECK_EQ(place->domain, sample->domain);
        CHECK_EQ(place->address, address_of(wanted->at[i]));
        name_of(wanted->life, wanted->at[i], name);
        CHECK_TEXT(place->symbol, name);
    }
}

/* The last definition of a number is valid for earlier samples too. */
static void compare(void)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    enum xenoprof_status status;

    memset(&seen, 0, sizeof(seen));
    KIT_OK(world.kit, xenoprof_session_open(world.kit->handle,
                                            world.kit->folder, &session));
    while ( (status = xenoprof_session_next(session, &item)) != XENOPROF_END )
    {
        KIT_OK(world.kit, status);
        see(&item);
    }
    xenoprof_session_close(session);
    CHECK_EQ(seen.samples.count, world.wanted.count);
    for ( size_t i = 0; i < seen.samples.count; i++ )
        check_sample(&seen.samples.items[i]);
    vector_free(&seen.places);
    vector_free(&seen.stacks);
    vector_free(&seen.samples);
}

static void begin(uint64_t seed)
{
    memset(&world, 0, sizeof(world));
    world.kit = kit_create();
    world.random = (seed + 1) * 0x9e3779b97f4a7c15u;
    for ( uint16_t i = 0; i < DOMAINS; i++ )
        come(&world.domains[i], i);
}

static void finish(void)
{
    KIT_OK(world.kit, xenoprof_writer_flush(world.kit->writer));
    compare();
    vector_free(&world.wanted);
    kit_destroy(world.kit);
}

/* It ends after another has its number, or before. */
static void replace(struct living_domain *domain)
{
    struct living_domain old = *domain;
    bool late = any(2);
    uint16_t number;

    if ( !late )
        end(&old);
    number = any(2) ? old.number : (uint16_t)(5 + any(40));
    for ( unsigned int i = 1; i < DOMAINS; i++ )
        if ( &world.domains[i] != domain && world.domains[i].number == number )
            number = (uint16_t)(100 + world.lives);
    come(domain, number);
    if ( late && old.number != domain->number )
        end(&old);
    else if ( late )
        xenoprof_writer_domain_ended(world.kit->writer, old.number, old.uuid);
}

TEST(each_sample_has_its_place_whoever_ended_since)
{
    for ( uint64_t seed = 0; seed < 8; seed++ )
    {
        begin(seed);
        for ( unsigned int i = 0; i < 200; i++ )
        {
            live(&world.domains[any(DOMAINS)], 20);
            if ( any(2) )
                replace(&world.domains[1 + any(DOMAINS - 1)]);
            if ( any(3) == 0 )
                KIT_OK(world.kit, xenoprof_writer_flush(world.kit->writer));
            if ( any(8) == 0 )
                KIT_OK(world.kit, xenoprof_writer_rotate(world.kit->writer));
        }
        finish();
    }
}

static size_t memory(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

/* Returns the most memory that was in use while so many lives passed. */
static size_t peak(unsigned int lives)
{
    size_t most = 0;

    for ( unsigned int i = 0; i < lives; i++ )
    {
        size_t now;

        live(&world.domains[1], 50);
        replace(&world.domains[1]);
        KIT_OK(world.kit, xenoprof_writer_flush(world.kit->writer));
        /* The test's own. */
        vector_free(&world.wanted);
        now = memory();
        most = now > most ? now : most;
    }
    return most;
}

/* However many came and went, what is known is that of a few. */
TEST(a_writer_forgets_domains_that_ended)
{
    size_t first, last;

    begin(1);
    first = peak(100);
    peak(2800);
    last = peak(100);
    if ( last > first + first / 5 )
        test_fail(__FILE__, __LINE__,
                  "%zu bytes after 100 lives, %zu after 3000", first, last);
    kit_destroy(world.kit);
}

/* Who is thought to have ended, and has samples, is as new. */
TEST(a_domain_that_ended_may_come_again)
{
    begin(2);
    for ( unsigned int i = 0; i < 100; i++ )
    {
        struct living_domain *domain = &world.domains[1];
        char name[32];

        live(domain, 30);
        end(domain);
        snprintf(name, sizeof(name), "domain%u", domain->life);
        KIT_OK(world.kit,
               xenoprof_writer_domain(world.kit->writer, 2, domain->number,
                                      domain->uuid, name, "passive"));
        /* As the daemon, which asks again. */
        memset(domain->places, 0, sizeof(domain->places));
        live(&world.domains[2], 3);
        KIT_OK(world.kit, xenoprof_writer_flush(world.kit->writer));
        if ( i % 10 == 9 )
            end(&world.domains[3 + i / 10 % 2]);
        if ( i % 10 == 9 )
            come(&world.domains[3 + i / 10 % 2], (uint16_t)(200 + i));
    }
    finish();
}

/* A writer that goes on knows the last file only. */
TEST(numbers_stay_as_they_were_after_a_kill)
{
    begin(3);
    for ( unsigned int i = 0; i < 40; i++ )
    {
        live(&world.domains[any(DOMAINS)], 30);
        replace(&world.domains[1 + any(DOMAINS - 1)]);
        KIT_OK(world.kit, xenoprof_writer_flush(world.kit->writer));
        if ( i % 5 )
            continue;
        kit_stop(world.kit);
        kit_go_on(world.kit);
        for ( unsigned int j = 0; j < DOMAINS; j++ )
            memset(world.domains[j].places, 0, sizeof(world.domains[j].places));
    }
    finish();
}

TEST(a_dropped_place_is_refused)
{
    struct xenoprof_stored stored = {.mode = XENOPROF_MODE_KERNEL, .weight = 1};
    struct living_domain gone;

    begin(4);
    while ( world.lives < 60 )
    {
        live(&world.domains[1], 50);
        gone = world.domains[1];
        end(&gone);
        come(&world.domains[1], (uint16_t)(10 + world.lives));
        KIT_OK(world.kit, xenoprof_writer_flush(world.kit->writer));
    }
    stored.place = 1;
    while ( stored.place && xenoprof_writer_sample(world.kit->writer, &stored,
                                                   NULL, 0) == XENOPROF_OK )
        stored.place++;
    CHECK(stored.place < 60 * PLACES);
    finish();
}
