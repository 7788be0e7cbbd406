/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "account-rows.h"

#include "base/must.h"

struct last_idle {
    struct {
        uint64_t pcpu;
    } key;
    uint64_t time, idle;
};

struct last_ring {
    struct {
        uint32_t ring, generation;
    } key;
    uint64_t time, read, lost;
};

void account_rows_init(struct account_rows *rows)
{
    table_init(&rows->idle, sizeof(((struct last_idle *)0)->key),
               sizeof(struct last_idle));
    table_init(&rows->rings, sizeof(((struct last_ring *)0)->key),
               sizeof(struct last_ring));
}

void account_rows_free(struct account_rows *rows)
{
    table_free(&rows->idle);
    table_free(&rows->rings);
}

void account_rows_idle(struct account_rows *rows,
                       const struct xenoprof_item *item, struct idle_row *ret)
{
    const uint64_t pcpu = item->u.idle.pcpu, time = item->time;
    const uint64_t now = item->u.idle.idle;
    struct last_idle *last = must(table_put(&rows->idle, &pcpu));

    *ret = (struct idle_row){.from = time, .to = time};
    if ( last->time && time > last->time && now >= last->idle )
    {
        ret->from = last->time;
        ret->idle = now - last->idle;
        /* Xen reads its clock and its account one after the other. */
        if ( ret->idle > time - last->time )
            ret->idle = time - last->time;
    }
    last->time = time;
    last->idle = now;
}

void account_rows_ring(struct account_rows *rows,
                       const struct xenoprof_item *item, uint64_t then,
                       uint64_t now, struct ring_row *ret)
{
    const struct xenoprof_ring_info *info = &item->u.ring.info;
    const struct {
        uint32_t ring, generation;
    } key = {info->ring, info->generation};
    struct last_ring *last = must(table_put(&rows->rings, &key));
    uint64_t lost = item->u.ring.lost_daemon;

    for ( unsigned int i = 0; i < XENOPROF_LOST_SLOTS; i++ )
        lost += info->lost[i];
    *ret = (struct ring_row){.from = last->time ? last->time : then, .to = now};
    if ( item->u.ring.read >= last->read && lost >= last->lost )
    {
        ret->read = item->u.ring.read - last->read;
        ret->lost = lost - last->lost;
    }
    last->time = now;
    last->read = item->u.ring.read;
    last->lost = lost;
}
