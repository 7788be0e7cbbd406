/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "libxenoprof/session-attributes.h"
#include "control/session-folders.h"
#include "status.h"

static struct status_ring *find_ring(struct status *status,
                                     const struct xenoprof_ring_info *facts)
{
    struct status_ring *ring;

    for ( size_t i = 0; i < status->ring_count; i++ )
        if ( status->rings[i].number == facts->ring &&
             status->rings[i].generation == facts->generation )
            return &status->rings[i];
    ring = status_add_ring(status);
    if ( !ring )
        return NULL;
    ring->number = facts->ring;
    ring->generation = facts->generation;
    return ring;
}

static void take_ring(struct status *status, const struct xenoprof_item *item)
{
    const struct xenoprof_ring_info *facts = &item->u.ring.info;
    struct status_ring *ring = find_ring(status, facts);

    if ( !ring )
        return;
    ring->pcpu = facts->kind == XENOPROF_RING_PCPU;
    ring->domain = ring->pcpu ? DOMAIN_ID_IDLE : facts->domain;
    ring->unit = facts->vcpu;
    uuid_format(facts->uuid, ring->uuid);
    strcpy(ring->state, "gone");
    if ( ring->pcpu )
        strcpy(ring->name, DOMAIN_NAME_IDLE);
    ring->made = facts->made;
    ring->read = item->u.ring.read;
    ring->lost = item->u.ring.lost_daemon + xenoprof_lost_in_xen(facts->lost);
}

static void take_name(struct status *status, const struct xenoprof_item *item)
{
    char uuid[UUID_TEXT_SIZE];

    uuid_format(item->u.domain.uuid, uuid);
    for ( size_t i = 0; i < status->ring_count; i++ )
        if ( status->rings[i].domain == item->u.domain.domain &&
             strcmp(status->rings[i].uuid, uuid) == 0 )
            snprintf(status->rings[i].name, sizeof(status->rings[i].name), "%s",
                     item->u.domain.name ? item->u.domain.name : "");
    for ( size_t i = 0; i < status->chains.count; i++ )
        if ( status->chains.rows[i].domain == item->u.domain.domain )
            snprintf(status->chains.rows[i].name,
                     sizeof(status->chains.rows[i].name), "%s",
                     item->u.domain.name ? item->u.domain.name : "");
}

static void take_counters(struct status *status,
                          const struct xenoprof_counters *counters)
{
    status->due = counters->due;
    status->missed = counters->missed;
    status->idle = counters->idle;
    status->switched = counters->switched;
    status->moved = counters->moved;
    status->cost = counters->cost;
    for ( unsigned int i = 0; i < XENOPROF_CAUSES; i++ )
        status->lost_by_cause[i] = counters->lost[i];
}

static void take_attribute(struct status *status,
                           const struct xenoprof_item *item)
{
    const char *key = item->u.attribute.key, *value = item->u.attribute.value;
    uint64_t number = strtoull(value, NULL, 10);

    if ( strcmp(key, SESSION_ATTRIBUTE_SAMPLER) == 0 )
        snprintf(status->sampler, sizeof(status->sampler), "%s", value);
    else if ( strcmp(key, SESSION_ATTRIBUTE_FREQUENCY) == 0 )
        status->frequency = number;
    else if ( strcmp(key, SESSION_ATTRIBUTE_ASKED) == 0 )
        status->asked = number;
    else if ( strcmp(key, SESSION_ATTRIBUTE_PCPUS) == 0 )
        status->pcpus = number;
    else if ( strcmp(key, SESSION_ATTRIBUTE_BEGAN) == 0 )
        status->since = number;
    else if ( strcmp(key, SESSION_ATTRIBUTE_UTC) == 0 )
        status->until = number;
    else if ( strcmp(key, SESSION_ATTRIBUTE_BY) == 0 )
        snprintf(status->by, sizeof(status->by), "%s", value);
    else if ( strcmp(key, SESSION_ATTRIBUTE_OPTIONS) == 0 )
        snprintf(status->options, sizeof(status->options), "%s", value);
    else if ( strcmp(key, SESSION_ATTRIBUTE_STOPPED) == 0 )
        snprintf(status->trouble, sizeof(status->trouble), "%s", value);
}

static void take_item(struct status *status, const struct xenoprof_item *item)
{
    switch ( item->kind )
    {
    case XENOPROF_ITEM_ATTRIBUTE: take_attribute(status, item); break;
    case XENOPROF_ITEM_RING: take_ring(status, item); break;
    case XENOPROF_ITEM_SAMPLE:
        chain_counts_add(&status->chains, &item->u.sample);
        break;
    case XENOPROF_ITEM_COUNTERS:
        take_counters(status, &item->u.counters);
        break;
    default: break;
    }
}

/* All items through take. */
static bool read_all(struct status *status, const char *path,
                     void (*take)(struct status *status,
                                  const struct xenoprof_item *item))
{
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_session *session = NULL;
    struct xenoprof_item item;
    enum xenoprof_status code = XENOPROF_NO_MEMORY;

    if ( handle )
        code = xenoprof_session_open(handle, path, &session);
    while ( !code || code == XENOPROF_DAMAGED )
    {
        code = xenoprof_session_next(session, &item);
        if ( !code )
            take(status, &item);
    }
    xenoprof_session_close(session);
    xenoprof_close(handle);
    return code == XENOPROF_END;
}

static void take_domain_item(struct status *status,
                             const struct xenoprof_item *item)
{
    if ( item->kind == XENOPROF_ITEM_DOMAIN )
        take_name(status, item);
}

void status_from_disk(struct status *status, const char *dir)
{
    char *path SCOPE_FREE = NULL;

    if ( !session_exists(dir, SESSION_CURRENT) ||
         asprintf(&path, "%s/%s", dir, SESSION_CURRENT) < 0 ||
         !read_all(status, path, take_item) )
        return;
    /* A name may come before the first counters of its rings. */
    read_all(status, path, take_domain_item);
    status->session = true;
    snprintf(status->name, sizeof(status->name), "%s", SESSION_CURRENT);
    snprintf(status->dir, sizeof(status->dir), "%s", dir);
    for ( size_t i = 0; i < status->ring_count; i++ )
    {
        status->made += status->rings[i].made;
        status->read += status->rings[i].read;
        status->lost += status->rings[i].lost;
    }
}
