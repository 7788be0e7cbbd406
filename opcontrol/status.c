/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --status shows, gathered from the daemon's answer or from disk. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "control/protocol.h"
#include "control/session-folders.h"
#include "libxenoprof/session-attributes.h"
#include "status.h"

/* A member of struct status that one KEY=value fills. */
struct status_field {
    const char *key;
    size_t offset;
    size_t size; /* of a text; 0: a number */
};

#define NUMBER(key, member)                                                    \
    {                                                                          \
        key, offsetof(struct status, member), 0                                \
    }
#define TEXT(key, member)                                                      \
    {                                                                          \
        key, offsetof(struct status, member),                                  \
            sizeof(((struct status *)NULL)->member)                            \
    }

static const struct status_field session_fields[] = {
    TEXT("name", name),     TEXT("dir", dir),
    TEXT("by", by),         TEXT("options", options),
    NUMBER("since", since), NUMBER("until", until),
    {NULL, 0, 0},
};

static const struct status_field sampler_fields[] = {
    TEXT("name", sampler),  NUMBER("frequency", frequency),
    NUMBER("asked", asked), NUMBER("slowed", slowed),
    NUMBER("pcpus", pcpus), {NULL, 0, 0},
};

static const struct status_field counter_fields[] = {
    NUMBER("due", due),           NUMBER("missed", missed),
    NUMBER("idle", idle),         NUMBER("made", made),
    NUMBER("read", read),         NUMBER("lost", lost),
    NUMBER("switched", switched), NUMBER("moved", moved),
    NUMBER("cost", cost),         {NULL, 0, 0},
};

static const struct status_field daemon_fields[] = {
    NUMBER("pid", daemon_pid),
    NUMBER("user_ns", daemon_user),
    NUMBER("system_ns", daemon_system),
    NUMBER("resident", daemon_resident),
    {NULL, 0, 0},
};

static const struct status_field warning_fields[] = {
    TEXT("text", warning),
    {NULL, 0, 0},
};

static const struct status_field trouble_fields[] = {
    TEXT("text", trouble),
    {NULL, 0, 0},
};

/* What a session on disk says of itself. */
static const struct status_field attributes[] = {
    TEXT(SESSION_ATTRIBUTE_SAMPLER, sampler),
    NUMBER(SESSION_ATTRIBUTE_FREQUENCY, frequency),
    NUMBER(SESSION_ATTRIBUTE_ASKED, asked),
    NUMBER(SESSION_ATTRIBUTE_PCPUS, pcpus),
    NUMBER(SESSION_ATTRIBUTE_BEGAN, since),
    NUMBER(SESSION_ATTRIBUTE_UTC, until),
    TEXT(SESSION_ATTRIBUTE_BY, by),
    TEXT(SESSION_ATTRIBUTE_OPTIONS, options),
    TEXT(SESSION_ATTRIBUTE_STOPPED, trouble),
    {NULL, 0, 0},
};

void status_free(struct status *status)
{
    vector_free(&status->rings);
    chain_counts_free(&status->chains);
    *status = (struct status){0};
}

static void take_fields(struct status *status, const char *line,
                        const struct status_field *field)
{
    for ( ; field->key; field++ )
    {
        void *member = (char *)status + field->offset;

        if ( field->size )
            line_get_text(line, field->key, member, field->size);
        else
            *(uint64_t *)member = line_get_number(line, field->key);
    }
}

static void take_session(struct status *status, const char *line)
{
    (void)line;
    status->session = true;
}

static void take_lost(struct status *status, const char *line)
{
    char cause[32] = "";

    line_get_text(line, "cause", cause, sizeof(cause));
    for ( unsigned int i = 0; i < XENOPROF_CAUSES; i++ )
        if ( strcmp(cause, xenoprof_cause_name(i)) == 0 )
            status->lost_by_cause[i] = line_get_number(line, "count");
}

static void take_ring(struct status *status, const char *line)
{
    struct status_ring *ring = vector_add(&status->rings);
    char kind[8] = "";

    if ( !ring )
        return;
    line_get_text(line, "kind", kind, sizeof(kind));
    ring->pcpu = strcmp(kind, "pcpu") == 0;
    ring->number = (uint32_t)line_get_number(line, "number");
    ring->generation = (uint32_t)line_get_number(line, "generation");
    ring->domain = (uint16_t)line_get_number(line, "domain");
    ring->unit = (uint16_t)line_get_number(line, "unit");
    line_get_text(line, "name", ring->name, sizeof(ring->name));
    line_get_text(line, "uuid", ring->uuid, sizeof(ring->uuid));
    line_get_text(line, "state", ring->state, sizeof(ring->state));
    ring->made = line_get_number(line, "made");
    ring->read = line_get_number(line, "read");
    ring->lost = line_get_number(line, "lost");
}

static void take_chains(struct status *status, const char *line)
{
    chain_counts_take(&status->chains, line);
}

/* The lines of an answer by their word: fields, and what fields cannot say. */
static const struct {
    const char *word;
    const struct status_field *fields;
    void (*take)(struct status *status, const char *line);
} words[] = {
    {"session", session_fields, take_session},
    {"sampler", sampler_fields, NULL},
    {"counters", counter_fields, NULL},
    {"lost", NULL, take_lost},
    {"ring", NULL, take_ring},
    {"chains", NULL, take_chains},
    {"daemon", daemon_fields, NULL},
    {"warning", warning_fields, NULL},
    {"trouble", trouble_fields, NULL},
};

static void take_line(struct status *status, const char *line)
{
    for ( size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++ )
    {
        if ( !line_is(line, words[i].word) )
            continue;
        if ( words[i].fields )
            take_fields(status, line, words[i].fields);
        if ( words[i].take )
            words[i].take(status, line);
    }
}

void status_from_reply(struct status *status, const struct reply *reply)
{
    for ( const char *line = reply_next(reply, NULL); line;
          line = reply_next(reply, line) )
        take_line(status, line);
}

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
