/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sink.h"

#include "base/must.h"
#include "base/names.h"
#include "base/scope.h"
#include "base/table.h"
#include "libxenoprof/session/session-attributes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOMAINS_MAX     0x7ff0u /* numbers that Xen gives to domains */
#define NUMBER_IDLE     0x7fffu
#define NAME_MOST       1023u /* bytes of a symbol, a path, a domain's name */
#define FRAMES_MOST     1024u /* as a session holds */
#define FLUSH_SAMPLES   32768u
#define FLUSH_BYTES     (4u << 20)
#define SPLIT_IN_ALL    (1u << 20) /* samples beyond one for each number */
#define TYPE_NAME_BYTES 64u

struct sink_place_row {
    struct {
        uint64_t address, start;
        uint32_t image, symbol; /* in sink.names */
        uint16_t domain, mode;
        uint32_t zero;
    } key;
    uint32_t number;
};

struct sink_domain_row {
    struct {
        uint8_t uuid[16];
        uint32_t name; /* in sink.names */
        uint16_t wanted, numbered;
    } key;
    uint16_t number;
};

struct sink_type {
    uint32_t key; /* its name, in sink.names */
    uint16_t number;
};

struct sink {
    struct xenoprof_handle *handle;
    struct xenoprof_writer *writer; /* NULL: it could not be made */
    const char *file;
    struct failure *failure;
    struct names names;
    struct table domains;
    bool taken[DOMAINS_MAX]; /* numbers */
    struct table places;     /* of the session's file as of epoch */
    struct table types;
    uint32_t epoch;
    unsigned int unwritten; /* samples */
    uint64_t written, lost; /* samples */
    uint64_t split;         /* of them: more than hold what was read */
};

/* Returns whether it was done. */
static bool done(struct sink *sink, enum xenoprof_status code)
{
    if ( !code )
        return true;
    if ( code == XENOPROF_NO_MEMORY )
        no_memory();
    if ( !sink->failure->status )
        fail(sink->failure, STATUS_FAILED,
             "%s cannot be made a session: %s: is there room for it? (TMPDIR "
             "names another place)",
             sink->file, xenoprof_message(sink->handle));
    return false;
}

static bool goes_on(const struct sink *sink)
{
    return sink->writer && !sink->failure->status;
}

struct sink *sink_open(const char *folder, const char *file,
                       struct failure *failure)
{
    struct sink *sink = must(calloc(1, sizeof(*sink)));

    sink->handle = must(xenoprof_open());
    sink->file = file;
    sink->failure = failure;
    names_init(&sink->names);
    table_init(&sink->domains, sizeof(((struct sink_domain_row *)0)->key),
               sizeof(struct sink_domain_row));
    table_init(&sink->places, sizeof(((struct sink_place_row *)0)->key),
               sizeof(struct sink_place_row));
    table_init(&sink->types, sizeof(uint32_t), sizeof(struct sink_type));
    done(sink, xenoprof_writer_create(sink->handle, folder, &sink->writer));
    return sink;
}

/* What was lost is the loss of a ring that all samples came from. */
static void write_loss(struct sink *sink)
{
    struct xenoprof_ring_info info = {
        .ring = 1,
        .generation = 1,
        .kind = XENOPROF_RING_PCPU,
        .state = XENOPROF_RING_CLOSED,
        .size = XENOPROF_PAGE_SIZE,
        .made = sink->written + sink->lost,
        .committed = sink->written,
    };

    info.lost[XENOPROF_LOST_RING] = sink->lost;
    if ( sink->lost && goes_on(sink) )
        done(sink,
             xenoprof_writer_ring(sink->writer, &info, sink->written, 0, 0));
}

void sink_lost(struct sink *sink, uint64_t samples)
{
    sink->lost += samples;
}

/* What a session has last says how long it is. */
void sink_close(struct sink *sink, uint64_t time)
{
    write_loss(sink);
    sink_attribute(sink, time, SESSION_ATTRIBUTE_MADE_OF, sink->file);
    if ( goes_on(sink) )
        done(sink, xenoprof_writer_close(sink->writer, time));
    xenoprof_writer_destroy(sink->writer);
    xenoprof_close(sink->handle);
    names_free(&sink->names);
    table_free(&sink->domains);
    table_free(&sink->places);
    table_free(&sink->types);
    free(sink);
}

void sink_attribute(struct sink *sink, uint64_t time, const char *key,
                    const char *value)
{
    char *cut SCOPE_FREE = must(strndup(value, NAME_MOST));

    if ( goes_on(sink) )
        done(sink, xenoprof_writer_attribute(sink->writer, time, key, cut));
}

void sink_utc(struct sink *sink, uint64_t time, uint64_t utc)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRIu64, utc);
    sink_attribute(sink, time, SESSION_ATTRIBUTE_UTC, text);
}

static const char *domain_kind(const char *name)
{
    return strcmp(name, "Domain-0") ? SESSION_KIND_PASSIVE : SESSION_KIND_DOM0;
}

/* The same name is the same domain in each file, so that they are compared. */
static void make_uuid(const char *name, uint8_t ret[16])
{
    const uint64_t parts[2] = {hash_bytes(1, name, strlen(name)),
                               hash_bytes(2, name, strlen(name))};

    memcpy(ret, parts, sizeof(parts));
}

/* A number that no domain has yet: the wanted one, or the next. */
static uint16_t free_number(struct sink *sink, uint16_t wanted)
{
    uint16_t number = wanted % DOMAINS_MAX;

    while ( sink->taken[number] )
        number = (uint16_t)((number + 1u) % DOMAINS_MAX);
    sink->taken[number] = true;
    return number;
}

static void write_domain(struct sink *sink, const char *name,
                         const struct sink_domain *domain,
                         struct sink_domain_row *row)
{
    static const uint8_t none[16];
    uint8_t uuid[16];

    if ( !strcmp(name, "idle") )
    {
        row->number = NUMBER_IDLE;
        return;
    }
    if ( sink->domains.count >= DOMAINS_MAX )
    {
        fail(sink->failure, STATUS_BAD_SESSION,
             "%s has more than %u domains, which no host has", sink->file,
             DOMAINS_MAX);
        return;
    }
    row->number = free_number(sink, domain->number);
    memcpy(uuid, domain->uuid, sizeof(uuid));
    if ( !memcmp(uuid, none, sizeof(uuid)) )
        make_uuid(name, uuid);
    done(sink, xenoprof_writer_domain(sink->writer, 0, row->number, uuid, name,
                                      domain_kind(name)));
}

uint16_t sink_domain(struct sink *sink, const struct sink_domain *domain)
{
    char *cut SCOPE_FREE = must(strndup(domain->name, NAME_MOST));
    const size_t before = sink->domains.count;
    struct sink_domain_row key = {.key = {.numbered = domain->numbered}};
    struct sink_domain_row *row;

    must_do(names_add(&sink->names, cut, &key.key.name));
    memcpy(key.key.uuid, domain->uuid, sizeof(key.key.uuid));
    if ( domain->numbered )
        key.key.wanted = domain->number;
    row = must(table_put(&sink->domains, &key.key));
    if ( sink->domains.count != before && goes_on(sink) )
        write_domain(sink, cut, domain, row);
    return row->number;
}

uint16_t sink_domain_called(struct sink *sink, const char *name)
{
    const struct sink_domain domain = {.name = name};

    return sink_domain(sink, &domain);
}

uint16_t sink_event(struct sink *sink, const char *name, const char *unit,
                    uint64_t select, uint64_t period)
{
    char cut[TYPE_NAME_BYTES], cut_unit[TYPE_NAME_BYTES];
    const struct xenoprof_type type = {
        .name = cut, .unit = cut_unit, .select = select, .period = period};
    const size_t before = sink->types.count;
    struct sink_type *row;
    uint32_t key;

    snprintf(cut, sizeof(cut), "%s", *name ? name : "samples");
    snprintf(cut_unit, sizeof(cut_unit), "%s", unit);
    must_do(names_add(&sink->names, cut, &key));
    row = must(table_put(&sink->types, &key));
    if ( sink->types.count == before || !goes_on(sink) )
        return row->number;
    if ( XENOPROF_TYPE_EVENT + before >= XENOPROF_TYPES_MAX )
    {
        fail(sink->failure, STATUS_BAD_SESSION,
             "%s has more than %d events: a session has no room for more",
             sink->file, XENOPROF_TYPES_MAX - XENOPROF_TYPE_EVENT);
        return 0;
    }
    row->number = (uint16_t)(XENOPROF_TYPE_EVENT + before);
    done(sink, xenoprof_writer_type(sink->writer, row->number, &type));
    return row->number;
}

static uint32_t put_sink_name(struct sink *sink, const char *name)
{
    char cut[NAME_MOST + 1];
    uint32_t number = 0;

    if ( name && *name && strlen(name) > NAME_MOST )
    {
        memcpy(cut, name, NAME_MOST);
        cut[NAME_MOST] = '\0';
        name = cut;
    }
    must_do(names_add(&sink->names, name && *name ? name : NULL, &number));
    return number;
}

uint32_t sink_place(struct sink *sink, const struct xenoprof_place *place)
{
    const struct sink_place_row key = {
        .key = {place->address, place->symbol_start,
                put_sink_name(sink, place->image),
                put_sink_name(sink, place->symbol), place->domain, place->mode,
                0}};
    const size_t before = sink->places.count;
    struct xenoprof_place cut = *place;
    struct sink_place_row *row = must(table_put(&sink->places, &key.key));

    if ( sink->places.count == before || !goes_on(sink) )
        return row->number;
    cut.image = names_text(&sink->names, key.key.image);
    cut.symbol = names_text(&sink->names, key.key.symbol);
    done(sink, xenoprof_writer_place(sink->writer, &cut, &row->number));
    return row->number;
}

uint32_t sink_epoch(const struct sink *sink)
{
    return sink->epoch;
}

static void flush_sink(struct sink *sink)
{
    sink->unwritten = 0;
    if ( !done(sink, xenoprof_writer_flush(sink->writer)) )
        return;
    if ( xenoprof_writer_epoch(sink->writer) == sink->epoch )
        return;
    sink->epoch = xenoprof_writer_epoch(sink->writer);
    table_free(&sink->places);
}

/* Writes a sample; the session's file does not end with it yet. */
static void write_sample(struct sink *sink,
                         const struct xenoprof_stored *sample,
                         const uint32_t *places, size_t count)
{
    if ( !goes_on(sink) ||
         !done(sink,
               xenoprof_writer_sample(sink->writer, sample, places, count)) )
        return;
    sink->unwritten++;
    sink->written++;
}

static void flush_if_full(struct sink *sink)
{
    if ( goes_on(sink) &&
         (sink->unwritten >= FLUSH_SAMPLES ||
          xenoprof_writer_pending(sink->writer) > FLUSH_BYTES) )
        flush_sink(sink);
}

static size_t cut_chain(struct xenoprof_stored *sample, size_t count)
{
    if ( count <= FRAMES_MOST )
        return count;
    xenoprof_stored_set_ended(sample, XENOPROF_ENDED_NONSENSE);
    return FRAMES_MOST;
}

void sink_sample(struct sink *sink, struct xenoprof_stored *sample,
                 const uint32_t *places, size_t count)
{
    count = cut_chain(sample, count);
    write_sample(sink, sample, places, count);
    flush_if_full(sink);
}

/* How many samples are to have an amount.  A file of few bytes may say that it
 * is of very many. */
static uint64_t samples_for(struct sink *sink, uint64_t amount, uint64_t wanted)
{
    const uint64_t least = amount / XENOPROF_COUNT_MAX +
                           (amount % XENOPROF_COUNT_MAX != 0);

    wanted = wanted < SINK_SPLIT_MAX ? wanted : SINK_SPLIT_MAX;
    wanted = wanted > amount ? amount : wanted;
    if ( wanted <= least || sink->split + wanted - least > SPLIT_IN_ALL )
        return least;
    sink->split += wanted - least;
    return wanted;
}

void sink_samples(struct sink *sink, const struct xenoprof_stored *sample,
                  const uint32_t *places, size_t count,
                  const struct sink_amount *amount)
{
    const uint64_t samples = samples_for(sink, amount->amount, amount->samples);
    struct xenoprof_stored part = *sample;

    if ( samples > FLUSH_SAMPLES )
    {
        if ( !sink->failure->status )
            fail(sink->failure, STATUS_BAD_SESSION,
                 "%s has a stack with %" PRIu64
                 ", which is more than a session holds",
                 sink->file, amount->amount);
        return;
    }
    count = cut_chain(&part, count);
    for ( uint64_t i = 0; i < samples; i++ )
    {
        part.count = amount->amount / samples + (i < amount->amount % samples);
        write_sample(sink, &part, places, count);
    }
    flush_if_full(sink);
}
