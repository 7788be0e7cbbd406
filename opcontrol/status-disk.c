/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --status shows where no daemon runs: the sum of a session's items. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory-limit.h"
#include "base/scope.h"
#include "base/table.h"
#include "control/session-folders.h"
#include "libxenoprof/session/session-attributes.h"
#include "status.h"

/* What a session on disk says of itself, and the member that takes it. */
static const struct {
    const char *key;
    size_t offset;
    size_t size; /* of a text; 0: a number */
} attributes[] = {
#define NUMBER(key, member)                                                    \
    {                                                                          \
        key, offsetof(struct status, member), 0                                \
    }
#define TEXT(key, member)                                                      \
    {                                                                          \
        key, offsetof(struct status, member),                                  \
            sizeof(((struct status *)NULL)->member)                            \
    }
    TEXT(SESSION_ATTRIBUTE_SAMPLER, sampler.name),
    NUMBER(SESSION_ATTRIBUTE_FREQUENCY, sampler.frequency),
    NUMBER(SESSION_ATTRIBUTE_ASKED, sampler.asked),
    NUMBER(SESSION_ATTRIBUTE_PCPUS, sampler.pcpus),
    NUMBER(SESSION_ATTRIBUTE_BEGAN, session.since),
    NUMBER(SESSION_ATTRIBUTE_UTC, session.until),
    NUMBER(SESSION_ATTRIBUTE_EXPIRED, counters.expired),
    TEXT(SESSION_ATTRIBUTE_BY, session.by),
    TEXT(SESSION_ATTRIBUTE_OPTIONS, session.options),
    TEXT(SESSION_ATTRIBUTE_STOPPED, trouble),
};

/* A session may come from anybody, with any number of rings and domains. */
struct disk_ring {
    struct {
        uint32_t number, generation;
    } key;
    size_t place; /* in status.rings + 1 */
};

struct disk_domain_key {
    uint16_t number;
    uint16_t any; /* 1: whoever had the number last; uuid is zero */
    uint8_t uuid[16];
};

struct disk_domain {
    struct disk_domain_key key;
    char name[DOMAIN_NAME_MAX];
};

struct disk {
    struct status *status;
    struct table rings;   /* struct disk_ring */
    struct table domains; /* struct disk_domain */
};

static void read_disk_ring(struct disk *disk, const struct xenoprof_item *item)
{
    const struct xenoprof_ring_info *info = &item->u.ring.info;
    struct status_rings *rings = &disk->status->rings;
    uint32_t key[] = {info->ring, info->generation};
    struct disk_ring *known = table_put(&disk->rings, key);
    struct status_ring *ring;

    if ( !known || (!known->place && !vector_add(rings)) )
        return;
    if ( !known->place )
        known->place = rings->count;
    ring = &rings->items[known->place - 1];
    status_ring_of(ring, info, item->u.ring.read);
    STATUS_COPY(ring->state, "gone");
    ring->lost = item->u.ring.lost_daemon + xenoprof_lost_in_xen(info->lost);
}

/* Rings that have ended, as one.  The first takes the place of all before. */
static void read_ring_sum(struct disk *disk, const struct xenoprof_item *item)
{
    struct status_rings *rings = &disk->status->rings;
    struct status_ring *ring;

    if ( item->u.ring_sum.first )
    {
        table_free(&disk->rings);
        vector_free(rings);
    }
    ring = vector_add(rings);
    if ( ring )
        status_ring_of_sum(ring, &item->u.ring_sum.sum);
}

static void keep_name(struct disk *disk, const struct disk_domain_key *key,
                      const char *name)
{
    struct disk_domain *domain = table_put(&disk->domains, key);

    if ( domain )
        snprintf(domain->name, sizeof(domain->name), "%s", name ? name : "");
}

static void read_disk_name(struct disk *disk, const struct xenoprof_item *item)
{
    struct disk_domain_key key = {.number = item->u.domain.domain, .any = 1};

    keep_name(disk, &key, item->u.domain.name);
    key.any = 0;
    memcpy(key.uuid, item->u.domain.uuid, sizeof(key.uuid));
    keep_name(disk, &key, item->u.domain.name);
}

static void put_name(const struct disk *disk, const struct disk_domain_key *key,
                     char ret[DOMAIN_NAME_MAX])
{
    const struct disk_domain *domain = table_find(&disk->domains, key);

    if ( domain )
        memcpy(ret, domain->name, DOMAIN_NAME_MAX);
}

/* Only now: a name may come after the rings and the samples that it is of. */
static void put_names(const struct disk *disk)
{
    struct status *status = disk->status;

    for ( size_t i = 0; i < status->rings.count; i++ )
    {
        struct status_ring *ring = &status->rings.items[i];
        struct disk_domain_key key = {.number = ring->domain};

        uuid_parse(ring->uuid, key.uuid);
        if ( !ring->name[0] )
            put_name(disk, &key, ring->name);
    }
    for ( size_t i = 0; i < status->chains.count; i++ )
    {
        struct chain_count *row = &status->chains.items[i];
        const struct disk_domain_key key = {.number = row->domain, .any = 1};

        put_name(disk, &key, row->name);
    }
}

static void read_attribute(struct status *status, const char *key,
                           const char *value)
{
    uint64_t made, read, lost;

    if ( strcmp(key, SESSION_ATTRIBUTE_WAITING) == 0 &&
         sscanf(value, "made %" SCNu64 ", read %" SCNu64 ", lost %" SCNu64,
                &made, &read, &lost) == 3 )
    {
        status->counters.waiters_made = made;
        status->counters.waiters_read = read;
        status->counters.waiters_lost = lost;
    }
    for ( size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++ )
    {
        void *member = (char *)status + attributes[i].offset;

        if ( strcmp(key, attributes[i].key) )
            continue;
        if ( attributes[i].size )
            snprintf(member, attributes[i].size, "%s", value);
        else
            *(uint64_t *)member = strtoull(value, NULL, 10);
    }
}

static void read_item(struct disk *disk, const struct xenoprof_item *item)
{
    struct status *status = disk->status;

    switch ( item->kind )
    {
    case XENOPROF_ITEM_ATTRIBUTE:
        read_attribute(status, item->u.attribute.key, item->u.attribute.value);
        break;
    case XENOPROF_ITEM_DOMAIN: read_disk_name(disk, item); break;
    case XENOPROF_ITEM_RING: read_disk_ring(disk, item); break;
    case XENOPROF_ITEM_RING_SUM: read_ring_sum(disk, item); break;
    case XENOPROF_ITEM_SAMPLE:
        chain_counts_add(&status->chains, &item->u.sample);
        break;
    case XENOPROF_ITEM_COUNTERS:
        status_counters_of(&status->counters, &item->u.counters);
        for ( unsigned int i = 0; i < XENOPROF_CAUSES; i++ )
            status->lost_by_cause[i] = item->u.counters.lost[i];
        break;
    default: break;
    }
}

/* Returns false if the session cannot be read to its end. */
static bool read_items(struct disk *disk, const char *path)
{
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_session *session = NULL;
    struct xenoprof_item item;
    enum xenoprof_status result = XENOPROF_NO_MEMORY;

    if ( handle )
        result = xenoprof_session_open(handle, path, &session);
    while ( !result || result == XENOPROF_DAMAGED )
    {
        result = xenoprof_session_next(session, &item);
        if ( !result )
            read_item(disk, &item);
    }
    xenoprof_session_close(session);
    xenoprof_close(handle);
    return result == XENOPROF_END;
}

static bool read_session(struct status *status, const char *path)
{
    struct disk disk = {.status = status};
    bool done;

    memory_limit(MEMORY_LIMIT_DEFAULT);
    table_init(&disk.rings, sizeof(uint32_t[2]), sizeof(struct disk_ring));
    table_init(&disk.domains, sizeof(struct disk_domain_key),
               sizeof(struct disk_domain));
    done = read_items(&disk, path);
    put_names(&disk);
    table_free(&disk.rings);
    table_free(&disk.domains);
    memory_limit(0);
    return done;
}

void status_from_disk(struct status *status, const char *dir)
{
    char *path SCOPE_FREE = NULL;

    if ( !session_exists(dir, SESSION_CURRENT) ||
         asprintf(&path, "%s/%s", dir, SESSION_CURRENT) < 0 ||
         !read_session(status, path) )
        return;
    status->has_session = true;
    STATUS_COPY(status->session.name, SESSION_CURRENT);
    STATUS_COPY(status->session.dir, dir);
    for ( size_t i = 0; i < status->rings.count; i++ )
    {
        status->counters.made += status->rings.items[i].made;
        status->counters.read += status->rings.items[i].read;
        status->counters.lost += status->rings.items[i].lost;
    }
}
