/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf-file-parts.h"

#include "base/must.h"
#include "base/scope.h"
#include "export-threads.h"
#include "libxenoprof/session/session-attributes.h"

#include <stdlib.h>
#include <string.h>

#define CLOCK_DATA_VERSION 1u
#define CLOCK_OF_XEN       10u /* a number that no clock of Linux has */

/* A feature and what puts its part; without a byte it is left out. */
struct export_feature {
    enum perf_file_feature number;
    void (*put)(struct buffer *out, const struct export_walk *walk,
                const struct perf_types *events);
};

static void put_bytes(struct buffer *out, const void *bytes, size_t size)
{
    must_do(buffer_append(out, bytes, size));
}

static void put_u32(struct buffer *out, uint32_t number)
{
    put_bytes(out, &number, sizeof(number));
}

static void put_u64(struct buffer *out, uint64_t number)
{
    put_bytes(out, &number, sizeof(number));
}

/* Filled up with zeroes, of which at least one ends it. */
static void put_text(struct buffer *out, const char *text)
{
    static const char zeroes[PERF_TEXT_ALIGN];
    const size_t length = strlen(text);
    const size_t more = PERF_TEXT_ALIGN - length % PERF_TEXT_ALIGN;

    put_u32(out, (uint32_t)(length + more));
    put_bytes(out, text, length);
    put_bytes(out, zeroes, more);
}

void perf_types_find(struct perf_types *events, const struct types *types)
{
    events->count = 0;
    for ( uint32_t i = 0; i < XENOPROF_TYPES_MAX; i++ )
        if ( types->type[i].samples || i == types->shown )
            events->type[events->count++] = i;
}

/* Time is perf's own cpu-clock, which perf shows as ns. */
static void put_attributes(struct buffer *out, const struct export_walk *walk,
                           uint32_t type)
{
    const bool time = type == XENOPROF_TYPE_TIME;
    const struct perf_event_attr attr = {
        .type = time ? PERF_TYPE_SOFTWARE : PERF_TYPE_RAW,
        .size = PERF_ATTR_SIZE_VER5,
        .config = time ? PERF_COUNT_SW_CPU_CLOCK
                       : walk->loaded->types.type[type].select,
        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
                       PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
                       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
        .sample_id_all = 1,
        .comm = 1,
        .ksymbol = 1,
    };

    put_bytes(out, &attr, PERF_ATTR_SIZE_VER5);
}

uint64_t perf_header_size(const struct perf_types *events)
{
    return sizeof(struct perf_file_header) +
           events->count * (sizeof(struct perf_file_event) + sizeof(uint64_t));
}

static void put_hostname(struct buffer *out, const struct export_walk *walk,
                         const struct perf_types *events)
{
    const char *host = loaded_attribute(walk->loaded, SESSION_ATTRIBUTE_HOST);
    char *word SCOPE_FREE = threads_word(host ? host : "unknown");

    (void)events;
    put_text(out, word);
}

static void put_release(struct buffer *out, const struct export_walk *walk,
                        const struct perf_types *events)
{
    const char *xen = loaded_attribute(walk->loaded, SESSION_ATTRIBUTE_XEN);
    char *word SCOPE_FREE = threads_word(xen ? xen : "unknown");
    char *release SCOPE_FREE = must_text("Xen %s", word);

    (void)events;
    put_text(out, release);
}

static void put_version(struct buffer *out, const struct export_walk *walk,
                        const struct perf_types *events)
{
    (void)walk;
    (void)events;
    put_text(out, "xenoprof " PACKAGE_VERSION);
}

static void put_processor(struct buffer *out, const struct export_walk *walk,
                          const struct perf_types *events)
{
    (void)walk;
    (void)events;
    put_text(out, "x86_64");
}

/* That there are, and that are online. */
static void put_pcpus(struct buffer *out, const struct export_walk *walk,
                      const struct perf_types *events)
{
    uint64_t most = 0;

    (void)events;
    for ( size_t i = 0; i < walk->loaded->pcpus.count; i++ )
    {
        const struct loaded_pcpu *pcpu = table_at(&walk->loaded->pcpus, i);

        if ( pcpu->key.number >= most )
            most = pcpu->key.number + 1;
    }
    put_u32(out, (uint32_t)most);
    put_u32(out, (uint32_t)most);
}

static void put_command(struct buffer *out, const struct export_walk *walk,
                        const struct perf_types *events)
{
    static const char *const words[] = {"xenopreport", "--export=perf"};

    (void)walk;
    (void)events;
    put_u32(out, sizeof(words) / sizeof(words[0]));
    for ( size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++ )
        put_text(out, words[i]);
}

static void put_descriptions(struct buffer *out, const struct export_walk *walk,
                             const struct perf_types *events)
{
    put_u32(out, events->count);
    put_u32(out, PERF_ATTR_SIZE_VER5);
    for ( uint32_t i = 0; i < events->count; i++ )
    {
        put_attributes(out, walk, events->type[i]);
        put_u32(out, 1);
        put_text(out, threads_event(walk, events->type[i]));
        put_u64(out, events->type[i] + 1);
    }
}

static void put_range(struct buffer *out, const struct export_walk *walk,
                      const struct perf_types *events)
{
    const struct time_span span = walk_span(walk);

    (void)events;
    put_u64(out, span.from);
    put_u64(out, span.to);
}

/* Returns how many bytes digits in pairs have: at most as many as there is room
 * for. */
static uint8_t bytes_of_hex(const char *text,
                            uint8_t ret[PERF_FILE_BUILD_ID_MAX])
{
    uint8_t count = 0;

    while ( count < PERF_FILE_BUILD_ID_MAX &&
            sscanf(text + 2 * count, "%2hhx", &ret[count]) == 1 )
        count++;
    return count;
}

static void put_build_id(struct buffer *out, const char *path, const char *text)
{
    struct perf_file_build_id id = {
        .head = {.misc = PERF_RECORD_MISC_KERNEL | PERF_FILE_BUILD_ID_SIZE},
        .pid = UINT32_MAX};
    char name[PERF_TEXT_ALIGN] = "";

    snprintf(name, sizeof(name), "%s", path);
    id.size = bytes_of_hex(text, id.bytes);
    id.head.size = sizeof(id) + sizeof(name);
    put_bytes(out, &id, sizeof(id));
    put_bytes(out, name, sizeof(name));
}

/* Those of Xen and of the one kernel that there is; of files of processes the
 * session has none. */
static void put_build_ids(struct buffer *out, const struct export_walk *walk,
                          const struct perf_types *events)
{
    (void)events;
    for ( uint32_t i = 0; i < walk->mappings.count; i++ )
    {
        const struct walk_mapping *mapping = walk_mapping(walk, i);
        const bool xen = mapping->key.mode == XENOPROF_MODE_XEN;
        char *id SCOPE_FREE = walk_build_id(walk, mapping->key.image,
                                            mapping->key.mode);

        if ( id )
            put_build_id(out, xen ? "[xen]" : "[kernel.kallsyms]", id);
    }
}

/* What UTC was at a time of Xen's. */
static void put_clock(struct buffer *out, const struct export_walk *walk,
                      const struct perf_types *events)
{
    const struct clocks *clocks = &walk->loaded->clocks;

    (void)events;
    if ( !clocks->utc_known )
        return;
    put_u32(out, CLOCK_DATA_VERSION);
    put_u32(out, CLOCK_OF_XEN);
    put_u64(out, clocks_utc(clocks, clocks->start));
    put_u64(out, clocks->start);
}

static const struct export_feature features[] = {
    {PERF_FILE_BUILD_ID, put_build_ids},
    {PERF_FILE_HOSTNAME, put_hostname},
    {PERF_FILE_OSRELEASE, put_release},
    {PERF_FILE_VERSION, put_version},
    {PERF_FILE_ARCH, put_processor},
    {PERF_FILE_NRCPUS, put_pcpus},
    {PERF_FILE_CMDLINE, put_command},
    {PERF_FILE_EVENT_DESC, put_descriptions},
    {PERF_FILE_SAMPLE_TIME, put_range},
    {PERF_FILE_CLOCK_DATA, put_clock},
};

#define FEATURES (sizeof(features) / sizeof(features[0]))

void perf_put_header(struct buffer *out, const struct export_walk *walk,
                     const struct perf_types *events, uint64_t data_size)
{
    const uint64_t ids = sizeof(struct perf_file_header);
    const uint64_t attrs = ids + events->count * sizeof(uint64_t);
    struct buffer part = {.used = 0};
    struct perf_file_header header = {
        .magic = PERF_FILE_MAGIC,
        .size = sizeof(header),
        .attr_size = sizeof(struct perf_file_event),
        .attrs = {attrs, events->count * sizeof(struct perf_file_event)},
        .data = {perf_header_size(events), data_size},
    };

    for ( size_t i = 0; i < FEATURES; i++ )
    {
        features[i].put(&part, walk, events);
        if ( part.used )
            header.features[0] |= 1ull << features[i].number;
        part.used = 0;
    }
    put_bytes(out, &header, sizeof(header));
    for ( uint32_t i = 0; i < events->count; i++ )
        put_u64(out, events->type[i] + 1);
    for ( uint32_t i = 0; i < events->count; i++ )
    {
        const struct perf_file_part id = {ids + i * sizeof(uint64_t),
                                          sizeof(uint64_t)};

        put_attributes(out, walk, events->type[i]);
        put_bytes(out, &id, sizeof(id));
    }
    buffer_free(&part);
}

void perf_put_features(struct buffer *out, const struct export_walk *walk,
                       const struct perf_types *events, uint64_t at)
{
    struct buffer part = {.used = 0};
    struct perf_file_part parts[FEATURES];
    size_t count = 0;

    for ( size_t i = 0; i < FEATURES; i++ )
    {
        parts[count].offset = part.used;
        features[i].put(&part, walk, events);
        parts[count].size = part.used - parts[count].offset;
        if ( parts[count].size )
            count++;
    }
    for ( size_t i = 0; i < count; i++ )
        parts[i].offset += at + count * sizeof(parts[0]);
    put_bytes(out, parts, count * sizeof(parts[0]));
    put_bytes(out, part.bytes, part.used);
    buffer_free(&part);
}
