/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a session says of its samples, and what it has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "control/session-folders.h"
#include "day-kit.h"
#include "libxenoprof/session/session-attributes.h"

/* The last of each ring counts; a sum of rings is one of generation ENDED. */
#define ENDED UINT64_MAX

struct day_ring {
    uint64_t key[2]; /* generation, number */
    uint64_t made, lost;
};

static void put(struct table *rings, uint64_t generation, uint64_t number,
                uint64_t made, uint64_t lost)
{
    const uint64_t key[2] = {generation, number};
    struct day_ring *ring = table_put(rings, key);

    CHECK(ring);
    ring->made = made;
    ring->lost = lost;
}

static void take_ring(struct table *rings, const struct xenoprof_item *item)
{
    const struct xenoprof_ring_info *info = &item->u.ring.info;

    put(rings, info->generation, info->ring, info->made,
        item->u.ring.lost_daemon + xenoprof_lost_in_xen(info->lost));
}

static void take_sum(struct table *rings, const struct xenoprof_item *item)
{
    const struct xenoprof_ring_sum *sum = &item->u.ring_sum.sum;

    if ( item->u.ring_sum.first )
        table_free(rings);
    put(rings, ENDED, rings->count, sum->made,
        sum->lost_daemon + xenoprof_lost_in_xen(sum->lost));
}

static void take(const struct xenoprof_item *item, struct table *rings,
                 struct day_counts *ret)
{
    if ( item->kind == XENOPROF_ITEM_SAMPLES )
        ret->kept += item->u.samples.count;
    else if ( item->kind == XENOPROF_ITEM_RING )
        take_ring(rings, item);
    else if ( item->kind == XENOPROF_ITEM_RING_SUM )
        take_sum(rings, item);
    else if ( item->kind == XENOPROF_ITEM_ATTRIBUTE &&
              !strcmp(item->u.attribute.key, SESSION_ATTRIBUTE_EXPIRED) )
        ret->expired = strtoull(item->u.attribute.value, NULL, 10);
}

/* Who counts samples asks for nothing else of them. */
static void ask_for_little(struct xenoprof_session *session)
{
    xenoprof_session_leaves_only(session);
    xenoprof_session_functions_only(session);
    xenoprof_session_without_times(session);
    xenoprof_session_pcpus_apart(session);
    xenoprof_session_threads(session, 1);
}

void day_count(const struct day *day, struct day_counts *ret)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    struct table rings;
    char path[128];

    *ret = (struct day_counts){0};
    table_init(&rings, sizeof(uint64_t[2]), sizeof(struct day_ring));
    snprintf(path, sizeof(path), "%s/" SESSION_CURRENT, day->kit.dir);
    CHECK_EQ(xenoprof_session_open(day->kit.handle, path, &session),
             XENOPROF_OK);
    ask_for_little(session);
    while ( xenoprof_session_next_columns(session, &item) == XENOPROF_OK )
        take(&item, &rings, ret);
    xenoprof_session_close(session);
    for ( size_t i = 0; i < rings.count; i++ )
    {
        const struct day_ring *ring = table_at(&rings, i);

        ret->made += ring->made;
        ret->lost += ring->lost;
    }
    table_free(&rings);
}
