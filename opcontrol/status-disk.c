/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --status shows where no daemon runs: the sum of a session's items. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory-limit.h"
#include "base/scope.h"
#include "control/session-folders.h"
#include "libxenoprof/session/session-attributes.h"
#include "status-field.h"

/* What a session on disk says of itself. */
static const struct status_field attributes[] = {
    STATUS_TEXT(SESSION_ATTRIBUTE_SAMPLER, sampler),
    STATUS_NUMBER(SESSION_ATTRIBUTE_FREQUENCY, frequency),
    STATUS_NUMBER(SESSION_ATTRIBUTE_ASKED, asked),
    STATUS_NUMBER(SESSION_ATTRIBUTE_PCPUS, pcpus),
    STATUS_NUMBER(SESSION_ATTRIBUTE_BEGAN, since),
    STATUS_NUMBER(SESSION_ATTRIBUTE_UTC, until),
    STATUS_NUMBER(SESSION_ATTRIBUTE_EXPIRED, expired),
    STATUS_TEXT(SESSION_ATTRIBUTE_BY, by),
    STATUS_TEXT(SESSION_ATTRIBUTE_OPTIONS, options),
    STATUS_TEXT(SESSION_ATTRIBUTE_STOPPED, trouble),
    {NULL, 0, 0},
};

static struct status_ring *find_ring(struct status *status,
                                     const struct xenoprof_ring_info *info)
{
    struct status_ring *ring;

    for ( size_t i = 0; i < status->rings.count; i++ )
        if ( status->rings.items[i].number == info->ring &&
             status->rings.items[i].generation == info->generation )
            return &status->rings.items[i];
    ring = vector_add(&status->rings);
    if ( !ring )
        return NULL;
    ring->number = info->ring;
    ring->generation = info->generation;
    return ring;
}

static void read_ring(struct status *status, const struct xenoprof_item *item)
{
    const struct xenoprof_ring_info *info = &item->u.ring.info;
    struct status_ring *ring = find_ring(status, info);

    if ( !ring )
        return;
    ring->pcpu = info->kind == XENOPROF_RING_PCPU;
    ring->domain = ring->pcpu ? DOMAIN_ID_IDLE : info->domain;
    ring->unit = info->vcpu;
    uuid_format(info->uuid, ring->uuid);
    strcpy(ring->state, "gone");
    if ( ring->pcpu )
        strcpy(ring->name, DOMAIN_NAME_IDLE);
    ring->made = info->made;
    ring->read = item->u.ring.read;
    ring->lost = item->u.ring.lost_daemon + xenoprof_lost_in_xen(info->lost);
}

static void read_name(struct status *status, const struct xenoprof_item *item)
{
    char uuid[UUID_TEXT_SIZE];

    uuid_format(item->u.domain.uuid, uuid);
    for ( size_t i = 0; i < status->rings.count; i++ )
        if ( status->rings.items[i].domain == item->u.domain.domain &&
             strcmp(status->rings.items[i].uuid, uuid) == 0 )
            snprintf(status->rings.items[i].name,
                     sizeof(status->rings.items[i].name), "%s",
                     item->u.domain.name ? item->u.domain.name : "");
    for ( size_t i = 0; i < status->chains.count; i++ )
        if ( status->chains.items[i].domain == item->u.domain.domain )
            snprintf(status->chains.items[i].name,
                     sizeof(status->chains.items[i].name), "%s",
                     item->u.domain.name ? item->u.domain.name : "");
}

static void read_counters(struct status *status,
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

static void read_attribute(struct status *status, const char *key,
                           const char *value)
{
    for ( const struct status_field *field = attributes; field->key; field++ )
    {
        void *member = (char *)status + field->offset;

        if ( strcmp(key, field->key) )
            continue;
        if ( field->size )
            snprintf(member, field->size, "%s", value);
        else
            *(uint64_t *)member = strtoull(value, NULL, 10);
    }
}

static void read_item(struct status *status, const struct xenoprof_item *item)
{
    switch ( item->kind )
    {
    case XENOPROF_ITEM_ATTRIBUTE:
        read_attribute(status, item->u.attribute.key, item->u.attribute.value);
        break;
    case XENOPROF_ITEM_RING: read_ring(status, item); break;
    case XENOPROF_ITEM_SAMPLE:
        chain_counts_add(&status->chains, &item->u.sample);
        break;
    case XENOPROF_ITEM_COUNTERS:
        read_counters(status, &item->u.counters);
        break;
    default: break;
    }
}

/* Passes all items to take.  Returns false if the session cannot be read to its
 * end. */
static bool read_all(struct status *status, const char *path,
                     void (*take)(struct status *status,
                                  const struct xenoprof_item *item))
{
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_session *session = NULL;
    struct xenoprof_item item;
    enum xenoprof_status result = XENOPROF_NO_MEMORY;

    memory_limit(MEMORY_LIMIT_DEFAULT);
    if ( handle )
        result = xenoprof_session_open(handle, path, &session);
    while ( !result || result == XENOPROF_DAMAGED )
    {
        result = xenoprof_session_next(session, &item);
        if ( !result )
            take(status, &item);
    }
    xenoprof_session_close(session);
    xenoprof_close(handle);
    memory_limit(0);
    return result == XENOPROF_END;
}

static void read_domain_item(struct status *status,
                             const struct xenoprof_item *item)
{
    if ( item->kind == XENOPROF_ITEM_DOMAIN )
        read_name(status, item);
}

void status_from_disk(struct status *status, const char *dir)
{
    char *path SCOPE_FREE = NULL;

    if ( !session_exists(dir, SESSION_CURRENT) ||
         asprintf(&path, "%s/%s", dir, SESSION_CURRENT) < 0 ||
         !read_all(status, path, read_item) )
        return;
    /* A name may come before the first counters of its rings. */
    read_all(status, path, read_domain_item);
    status->session = true;
    snprintf(status->name, sizeof(status->name), "%s", SESSION_CURRENT);
    snprintf(status->dir, sizeof(status->dir), "%s", dir);
    for ( size_t i = 0; i < status->rings.count; i++ )
    {
        status->made += status->rings.items[i].made;
        status->read += status->rings.items[i].read;
        status->lost += status->rings.items[i].lost;
    }
}
