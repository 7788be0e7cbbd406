/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slots.h"

#include "base/must.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <libxenoprof.h>

#include "report/waits/waits.h"

#define NUMBERS     65536u       /* of domains */
#define WIDTH_MOST  (1ull << 36) /* all seconds of 64 bits of ns are in one */
#define UNSEEN_MOST 1e-9         /* of a slot's ticks: sums are rounded */
#define PARTS_MOST  4096u /* of a span: whoever wrote a file may say anything */

void slots_init(struct slots *slots, bool by_pcpu)
{
    *slots = (struct slots){
        .width = 1, .by_pcpu = by_pcpu, .none = {.rate = 1}};
    table_init(&slots->owners, sizeof(struct owner_key), sizeof(struct owner));
    table_init(&slots->domains, sizeof(((struct owners_of *)0)->key),
               sizeof(struct owners_of));
    slots->domain_now = must(calloc(NUMBERS, sizeof(*slots->domain_now)));
}

void slots_free(struct slots *slots)
{
    for ( size_t i = 0; i < slots->owners.count; i++ )
        vector_free(&((struct owner *)table_at(&slots->owners, i))->slots);
    for ( size_t i = 0; i < slots->domains.count; i++ )
        vector_free(
            &((struct owners_of *)table_at(&slots->domains, i))->owners);
    table_free(&slots->owners);
    table_free(&slots->domains);
    free(slots->domain_now);
    slots->domain_now = NULL;
}

void slots_clear(struct slots *slots)
{
    for ( size_t i = 0; i < slots->owners.count; i++ )
    {
        struct owner *owner = table_at(&slots->owners, i);

        owner->slots.count = 0;
        owner->first = 0;
        owner->covered = owner->ran = 0;
        owner->time = owner->estimated = 0;
        owner->borrowed = owner->unsampled = 0;
    }
    slots->accounted = slots->settled = false;
    slots->origin = 0;
    slots->width = 1;
    slots->count = 0;
    slots->gap = 0;
    slots->none.unseen = 0;
}

void slots_rewind(struct slots *slots)
{
    memset(slots->domain_now, 0, NUMBERS * sizeof(*slots->domain_now));
}

/* Returns index + 1. */
static uint32_t put_domain_owners(struct slots *slots, uint32_t number,
                                  const uint8_t uuid[16])
{
    struct owners_of key = {.key = {.domain = number}}, *of;

    memcpy(key.key.uuid, uuid, sizeof(key.key.uuid));
    of = must(table_put(&slots->domains, &key.key));
    return (uint32_t)table_index(&slots->domains, of) + 1;
}

void slots_name(struct slots *slots, uint16_t number, const uint8_t uuid[16])
{
    slots->domain_now[number] = put_domain_owners(slots, number, uuid);
}

uint32_t slots_domain(struct slots *slots, uint32_t number)
{
    static const uint8_t nobody[16];

    if ( number >= NUMBERS || number == SLOTS_IDLE )
        return put_domain_owners(slots, number, nobody);
    if ( !slots->domain_now[number] )
        slots->domain_now[number] = put_domain_owners(slots, number, nobody);
    return slots->domain_now[number];
}

uint32_t slots_owner(struct slots *slots, uint32_t domain, uint32_t vcpu)
{
    struct owners_of *of = table_at(&slots->domains, domain - 1);
    struct owner_key key = {.domain = of->key.domain, .vcpu = vcpu};
    const struct owner *owner;

    while ( of->owners.count <= vcpu )
        must(vector_add(&of->owners));
    if ( of->owners.items[vcpu] )
        return of->owners.items[vcpu];
    memcpy(key.uuid, of->key.uuid, sizeof(key.uuid));
    owner = must(table_put(&slots->owners, &key));
    of->owners.items[vcpu] = (uint32_t)table_index(&slots->owners, owner) + 1;
    return of->owners.items[vcpu];
}

uint32_t slots_put(struct slots *slots, const struct owner_key *key)
{
    const uint32_t domain = put_domain_owners(slots, key->domain, key->uuid);

    return domain ? slots_owner(slots, domain, key->vcpu) : 0;
}

static void widen_owner(struct owner *owner, uint64_t factor)
{
    const uint64_t first = owner->first / factor;
    size_t kept = 0;

    for ( size_t i = 0; i < owner->slots.count; i++ )
    {
        const struct slot more = owner->slots.items[i];
        const size_t at = (size_t)((owner->first + i) / factor - first);
        struct slot *to = &owner->slots.items[at];

        if ( at == kept )
            owner->slots.items[kept++] = (struct slot){0};
        to->ticks += more.ticks;
        to->running += more.running;
        to->known += more.known;
        to->unseen += more.unseen;
        to->read += more.read;
        to->lost += more.lost;
    }
    owner->slots.count = kept;
    owner->first = first;
}

/* Widths are 1, 2, 10, 20, 100, ... seconds. */
static void widen_slots(struct slots *slots)
{
    uint64_t power = 1, factor;

    while ( power <= slots->width / 10 )
        power *= 10;
    factor = slots->width == power ? 2 : 5;
    slots->width *= factor;
    slots->count = 0;
    for ( size_t i = 0; i < slots->owners.count; i++ )
    {
        struct owner *owner = table_at(&slots->owners, i);

        widen_owner(owner, factor);
        slots->count += owner->slots.count;
    }
}

/* Returns so many more slots of an owner, before or after those that it
 * has. */
static void add_slots(struct slots *slots, struct owner *owner, size_t before,
                      size_t after)
{
    const size_t count = owner->slots.count;

    must_do(vector_reserve(&owner->slots, before + after));
    if ( before && count )
        memmove(owner->slots.items + before, owner->slots.items,
                count * sizeof(*owner->slots.items));
    memset(owner->slots.items, 0, before * sizeof(*owner->slots.items));
    memset(owner->slots.items + before + count, 0,
           after * sizeof(*owner->slots.items));
    owner->first -= before;
    owner->slots.count += before + after;
    slots->count += before + after;
}

/* Returns the slot of a second, made if it is not there. */
static struct slot *slot_at(struct slots *slots, uint32_t index,
                            uint64_t second)
{
    const size_t most = slots->most ? slots->most : SLOTS_MOST;
    struct owner *owner = slots_at(slots, index);
    uint64_t at, before, after;

    for ( ;; )
    {
        at = slots_of_second(slots, second);
        if ( !owner->slots.count )
            owner->first = at;
        before = at < owner->first ? owner->first - at : 0;
        after = at >= owner->first + owner->slots.count
                    ? at - owner->first - owner->slots.count + 1
                    : 0;
        if ( (slots->count + before + after <= most && at <= most) ||
             slots->width > WIDTH_MOST )
            break;
        widen_slots(slots);
    }
    if ( before + after )
        add_slots(slots, owner, before, after);
    return &owner->slots.items[at - owner->first];
}

void slots_add_ticks(struct slots *slots, uint32_t owner, uint64_t second,
                     double ticks)
{
    struct slot *slot = slot_at(slots, owner, second);

    slot->ticks += ticks;
    slot->unseen += ticks;
}

/* What is added between two of Xen's times, part by part. */
struct spread {
    uint64_t running, read, lost;
    bool known;
};

/* Where the part of a span ends that begins at this time: with its slot, but a
 * long span has few parts. */
static uint64_t part_end(const struct slots *slots, uint64_t at, uint64_t least,
                         uint64_t to)
{
    const uint64_t next = slots->origin +
                          (slots_of_second(slots, at / XENOPROF_SECOND) + 1) *
                              slots->width;

    if ( next > to / XENOPROF_SECOND || to - at <= least )
        return to;
    return next * XENOPROF_SECOND - at < least ? at + least
                                               : next * XENOPROF_SECOND;
}

/* The parts are differences of what there was up to each second, so that they
 * add up to all of it. */
static void spread_over_seconds(struct slots *slots, uint32_t owner,
                                uint64_t from, uint64_t to,
                                const struct spread *all)
{
    const uint64_t whole = to - from;
    uint64_t at = from, end, running = 0;

    for ( ; at < to; at = end )
    {
        const uint64_t before = running;
        struct slot *slot = slot_at(slots, owner, at / XENOPROF_SECOND);
        double part;

        end = part_end(slots, at, whole / PARTS_MOST, to);
        part = (double)(end - at) / (double)whole;
        running = waits_between(all->running, whole, 0, end - from);
        slot->running += running - before;
        slot->known += all->known ? (double)(end - at) : 0;
        slot->read += (float)((double)all->read * part);
        slot->lost += (float)((double)all->lost * part);
    }
}

void slots_add_running(struct slots *slots, uint32_t owner, uint64_t from,
                       uint64_t to, uint64_t running)
{
    const struct spread all = {.running = running, .known = true};
    struct owner *at = slots_at(slots, owner);

    at->covered += to - from;
    at->ran += running;
    if ( slots->rows && at->key.domain != SLOTS_IDLE )
        time_rows_ran(slots->rows, owner, from, to, running);
    spread_over_seconds(slots, owner, from, to, &all);
}

void slots_add_pcpu(struct slots *slots, uint32_t pcpu, uint64_t from,
                    uint64_t to, uint64_t idle)
{
    const struct owner_key idle_key = {.domain = SLOTS_IDLE, .vcpu = pcpu};
    const struct owner_key work_key = {.domain = SLOTS_WORK, .vcpu = pcpu};
    uint32_t owner = slots_put(slots, &idle_key);

    slots_add_running(slots, owner, from, to, idle);
    if ( !slots->by_pcpu )
        return;
    owner = slots_put(slots, &work_key);
    slots_add_running(slots, owner, from, to, to - from - idle);
}

void slots_add_ring(struct slots *slots, uint32_t owner, uint64_t from,
                    uint64_t to, uint64_t read, uint64_t lost)
{
    const struct spread all = {.read = read, .lost = lost};

    if ( read || lost )
        spread_over_seconds(slots, owner, from, to, &all);
}

static bool is_seen(const struct slot *slot)
{
    return fabs(slot->unseen) <= slot->ticks * UNSEEN_MOST;
}

bool slots_all_seen(const struct slots *slots)
{
    bool all = is_seen(&slots->none);

    for ( size_t i = 0; i < slots->owners.count; i++ )
    {
        const struct owner *owner = table_at(&slots->owners, i);

        for ( size_t j = 0; j < owner->slots.count; j++ )
            all &= is_seen(&owner->slots.items[j]);
    }
    return all;
}
