/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the session says of each guest's samples, and what it should. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "control/session-folders.h"
#include "libxenoprof/session/session-attributes.h"
#include "lives-kit.h"

struct lives_place {
    uint16_t domain;
    uint8_t mode;
    uint64_t address;
    char symbol[40];
};

struct lives_stack {
    uint32_t places[256];
    size_t count;
};

struct lives_sample {
    struct xenoprof_stored stored;
    size_t person;
};

/* The last of each ring counts. */
struct lives_ring {
    uint64_t key[2]; /* generation, number */
    uint8_t uuid[16];
    uint64_t made, lost, spooled;
};

static struct seen {
    struct {
        VECTOR(struct lives_place);
    } places; /* by number */
    struct {
        VECTOR(struct lives_stack);
    } stacks; /* the same */
    struct {
        VECTOR(struct lives_sample);
    } samples;
    struct table rings;
    size_t owners[65536]; /* persons by domain, now */
    uint64_t made, lost, expired, counted, others;
} * seen;

static size_t find_person(const struct lives *lives, const uint8_t uuid[16])
{
    for ( size_t i = 0; i < lives->persons.count; i++ )
        if ( !memcmp(lives->persons.items[i].uuid, uuid, 16) )
            return i;
    return NOBODY;
}

static void see_place(uint32_t number, const struct xenoprof_place *place)
{
    struct lives_place *known;

    while ( seen->places.count <= number )
        CHECK(vector_add(&seen->places));
    known = &seen->places.items[number];
    known->domain = place->domain;
    known->mode = place->mode;
    known->address = place->address;
    snprintf(known->symbol, sizeof(known->symbol), "%s",
             place->symbol ? place->symbol : "");
}

static void see_stack(uint32_t number, const uint32_t *places, size_t count)
{
    CHECK(count <= 256);
    while ( seen->stacks.count <= number )
        CHECK(vector_add(&seen->stacks));
    memcpy(seen->stacks.items[number].places, places, count * sizeof(*places));
    seen->stacks.items[number].count = count;
}

static void see_ring(const struct xenoprof_item *item)
{
    const struct xenoprof_ring_info *info = &item->u.ring.info;
    const uint64_t key[2] = {info->generation, info->ring};
    struct lives_ring *ring = table_put(&seen->rings, key);

    CHECK(ring);
    memset(ring->uuid, 0xff, 16);
    if ( info->kind == XENOPROF_RING_VCPU )
        memcpy(ring->uuid, info->uuid, 16);
    ring->made = info->made;
    ring->spooled = item->u.ring.spooled;
    ring->lost = item->u.ring.lost_daemon + xenoprof_lost_in_xen(info->lost);
}

/* As a ring of a generation that no other has. */
static void see_ring_sum(const struct xenoprof_item *item)
{
    const struct xenoprof_ring_sum *sum = &item->u.ring_sum.sum;
    uint64_t key[2] = {UINT64_MAX, 0};
    struct lives_ring *ring;

    if ( item->u.ring_sum.first )
        table_free(&seen->rings);
    key[1] = seen->rings.count;
    ring = table_put(&seen->rings, key);
    CHECK(ring);
    memset(ring->uuid, 0xff, 16);
    if ( sum->owner.kind == XENOPROF_RING_VCPU )
        memcpy(ring->uuid, sum->owner.uuid, 16);
    ring->made = sum->made;
    ring->lost = sum->lost_daemon + xenoprof_lost_in_xen(sum->lost);
    if ( item->u.ring_sum.first )
        seen->others = 0;
    if ( sum->owner.domain == XENOPROF_OTHERS )
        seen->others += sum->made;
}

static void see(const struct lives *lives, const struct xenoprof_item *item)
{
    struct lives_sample *sample;

    switch ( item->kind )
    {
    case XENOPROF_ITEM_DOMAIN:
        seen->owners[item->u.domain.domain] = find_person(lives,
                                                          item->u.domain.uuid);
        break;
    case XENOPROF_ITEM_PLACE:
        see_place(item->u.place.number, &item->u.place.place);
        break;
    case XENOPROF_ITEM_STACK:
        see_stack(item->u.stack.number, item->u.stack.places,
                  item->u.stack.count);
        break;
    case XENOPROF_ITEM_SAMPLE:
        /* Xen did not make it: a test did, to store a stack. */
        if ( !item->u.sample.weight )
            break;
        sample = vector_add(&seen->samples);
        CHECK(sample);
        sample->stored = item->u.sample;
        sample->person = seen->owners[item->u.sample.domain];
        break;
    case XENOPROF_ITEM_RING: see_ring(item); break;
    case XENOPROF_ITEM_RING_SUM: see_ring_sum(item); break;
    case XENOPROF_ITEM_COUNTERS: seen->counted = item->u.counters.made; break;
    case XENOPROF_ITEM_ATTRIBUTE:
        if ( !strcmp(item->u.attribute.key, SESSION_ATTRIBUTE_EXPIRED) )
            seen->expired = strtoull(item->u.attribute.value, NULL, 10);
        break;
    default: break;
    }
}

static void read_session(const struct lives *lives)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    char path[128];

    seen = calloc(1, sizeof(*seen));
    CHECK(seen);
    memset(seen->owners, 0xff, sizeof(seen->owners));
    table_init(&seen->rings, sizeof(uint64_t[2]), sizeof(struct lives_ring));
    snprintf(path, sizeof(path), "%s/" SESSION_CURRENT, lives->kit.dir);
    CHECK_EQ(xenoprof_session_open(lives->kit.handle, path, &session),
             XENOPROF_OK);
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
        see(lives, &item);
    xenoprof_session_close(session);
}

static const struct lives_place *place_of(uint32_t number)
{
    CHECK(number < seen->places.count);
    return &seen->places.items[number];
}

/* A sample's places, leaf first. */
static size_t chain_of(const struct xenoprof_stored *sample,
                       const uint32_t **places)
{
    *places = &sample->place;
    if ( !sample->stack )
        return 1;
    CHECK(sample->stack < seen->stacks.count);
    *places = seen->stacks.items[sample->stack].places;
    return seen->stacks.items[sample->stack].count;
}

/* No frame has a name of another guest's. */
static void check_names(const struct person *person,
                        const struct xenoprof_stored *sample)
{
    const uint32_t *places;
    size_t count = chain_of(sample, &places);
    size_t length = strlen(person->prefix);

    for ( size_t i = 0; i < count; i++ )
    {
        const struct lives_place *place = place_of(places[i]);

        if ( place->mode == XENOPROF_MODE_XEN || !place->symbol[0] )
            continue;
        if ( strncmp(place->symbol, person->prefix, length) ||
             place->symbol[length] != '_' )
            test_fail(__FILE__, __LINE__, "a sample of %s has %s",
                      person->prefix, place->symbol);
    }
}

static void must_be(const struct person *person,
                    const struct lives_place *place, uint64_t address)
{
    char name[40];

    snprintf(name, sizeof(name), "%s_%llu", person->prefix,
             (unsigned long long)(address - LIVES_KERNEL) / 0x100);
    if ( place->address != address || strcmp(place->symbol, name) )
        test_fail(__FILE__, __LINE__,
                  "a sample of %s has %llx %s instead of %llx %s",
                  person->prefix, (unsigned long long)place->address,
                  place->symbol, (unsigned long long)address, name);
}

/* The stack that lives-kit.c made. */
static void check_whole(const struct person *person,
                        const struct xenoprof_stored *sample)
{
    const uint32_t *places;
    size_t count = chain_of(sample, &places);
    size_t at = sample->mode == XENOPROF_MODE_XEN;
    uint64_t ip, number, depth;

    if ( xenoprof_stored_ended(sample) != XENOPROF_ENDED_ROOT || count <= at )
        test_fail(__FILE__, __LINE__,
                  "a stack of %s is not whole: %zu places, %s, time %llu, "
                  "vCPU %u of domain %u",
                  person->prefix, count,
                  xenoprof_ended_text(xenoprof_stored_ended(sample)),
                  (unsigned long long)sample->time, sample->vcpu,
                  sample->domain);
    ip = place_of(places[at])->address;
    number = (ip - LIVES_KERNEL) / 0x100;
    depth = 1 + number % 5;
    CHECK_EQ(count, at + 1 + depth);
    must_be(person, place_of(places[at]), LIVES_KERNEL + 0x100 * number + 0x10);
    for ( uint64_t i = 0; i < depth; i++ )
        must_be(person, place_of(places[at + 1 + i]),
                LIVES_KERNEL + 0x4000 * (i + 1) + 0x100 * number + 7);
}

static void check_samples(struct lives *lives)
{
    for ( size_t i = 0; i < seen->samples.count; i++ )
    {
        const struct lives_sample *sample = &seen->samples.items[i];
        struct person *person;

        if ( sample->person == NOBODY )
            continue;
        person = &lives->persons.items[sample->person];
        person->samples++;
        check_names(person, &sample->stored);
        if ( person->honest && !person->excused )
            check_whole(person, &sample->stored);
    }
}

static void add_rings(struct lives *lives)
{
    for ( size_t i = 0; i < seen->rings.count; i++ )
    {
        const struct lives_ring *ring = table_at(&seen->rings, i);
        size_t person = find_person(lives, ring->uuid);

        seen->made += ring->made;
        seen->lost += ring->lost;
        if ( person == NOBODY )
            continue;
        lives->persons.items[person].made += ring->made;
        lives->persons.items[person].lost += ring->lost;
    }
}

/* Nothing of an honest guest is lost, unless a daemon was killed; nothing of
 * anybody is unaccounted for. */
static void check_sums(const struct lives *lives)
{
    uint64_t lost = 0;

    for ( size_t i = 0; i < lives->persons.count; i++ )
    {
        const struct person *person = &lives->persons.items[i];

        if ( person->interrupts && !person->made && !seen->others )
            test_fail(__FILE__, __LINE__, "%s has no samples", person->prefix);
        /* What is in the sum of all others may be anybody's. */
        if ( !seen->expired &&
             (person->made > person->samples + person->lost ||
              person->made + seen->others < person->samples + person->lost) )
            test_fail(__FILE__, __LINE__, "%s: %llu made, %llu kept, %llu lost",
                      person->prefix, (unsigned long long)person->made,
                      (unsigned long long)person->samples,
                      (unsigned long long)person->lost);
        lost += person->honest ? person->lost : 0;
    }
    if ( lost > lives->forgiven )
        test_fail(__FILE__, __LINE__, "%llu samples of honest guests are lost",
                  (unsigned long long)lost);
    CHECK_EQ(seen->made, seen->samples.count + seen->expired + seen->lost);
    CHECK_EQ(seen->made, seen->counted);
}

static void forget_session(void)
{
    vector_free(&seen->places);
    vector_free(&seen->stacks);
    vector_free(&seen->samples);
    table_free(&seen->rings);
    free(seen);
}

uint64_t lives_spooled(const struct lives *lives)
{
    uint64_t sum = 0;

    read_session(lives);
    for ( size_t i = 0; i < seen->rings.count; i++ )
    {
        const struct lives_ring *ring = table_at(&seen->rings, i);

        sum += ring->spooled;
    }
    forget_session();
    return sum;
}

void lives_compare(struct lives *lives)
{
    read_session(lives);
    add_rings(lives);
    check_samples(lives);
    check_sums(lives);
    forget_session();
}
