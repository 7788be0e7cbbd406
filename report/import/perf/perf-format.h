/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.data as perf writes it.  Records of the kernel are those of
 * perf_event_open(2); what perf itself adds is in
 * tools/perf/Documentation/perf.data-file-format.txt of Linux: numbers from
 * there are below.
 */
#ifndef XENOPROF_REPORT_IMPORT_PERF_PERF_FORMAT_H
#define XENOPROF_REPORT_IMPORT_PERF_PERF_FORMAT_H

#include "base/buffer.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PERF_MAGIC       "PERFILE2"
#define PERF_MAGIC_OTHER "2ELIFREP" /* of the other byte order */
#define PERF_MAGIC_SIZE  8u
#define PERF_FEATURES    256u

struct perf_section {
    uint64_t offset, size;
};

/* Of a pipe there are magic and size alone. */
struct perf_head {
    char magic[PERF_MAGIC_SIZE];
    uint64_t size;
    uint64_t attr_size;
    struct perf_section attrs, data, event_types;
    uint64_t features[PERF_FEATURES / 64];
};
#define PERF_PIPE_SIZE 16u

enum perf_feature {
    PERF_FEATURE_BUILD_ID = 2,
    PERF_FEATURE_HOSTNAME = 3,
    PERF_FEATURE_OSRELEASE = 4,
    PERF_FEATURE_VERSION = 5,
    PERF_FEATURE_NRCPUS = 7,
    PERF_FEATURE_CMDLINE = 11,
    PERF_FEATURE_EVENT_DESC = 12,
    PERF_FEATURE_CLOCK_DATA = 29
};

/* Records that perf adds, and those of the kernel that old headers lack. */
enum perf_added_record {
    PERF_ADDED_HEADER_ATTR = 64,
    PERF_ADDED_TRACING_DATA = 66,
    PERF_ADDED_BUILD_ID = 67,
    PERF_ADDED_FINISHED_ROUND = 68,
    PERF_ADDED_AUXTRACE = 71,
    PERF_ADDED_EVENT_UPDATE = 78,
    PERF_ADDED_HEADER_FEATURE = 80,
    PERF_ADDED_COMPRESSED = 81,
    PERF_ADDED_COMPRESSED2 = 83
};
#define PERF_UPDATE_NAME 2u /* what an EVENT_UPDATE may be of */

#define PERF_BUILD_ID_MAX  20u
#define PERF_BUILD_ID_SIZE (1u << 15) /* misc: byte 20 is how long it is */
#define PERF_MISC_MODE     7u
#define PERF_MISC_EXEC     (1u << 13) /* of a COMM */
#define PERF_MISC_BUILD_ID (1u << 14) /* of an MMAP2 */

struct perf_build_id {
    uint8_t bytes[PERF_BUILD_ID_MAX];
    uint8_t size; /* 0: none */
};

/* Each returns the next number, or 0, and from is bad. */
static inline uint64_t perf_u64(struct cursor *from)
{
    const uint8_t *bytes = get_bytes(from, sizeof(uint64_t));
    uint64_t value = 0;

    if ( bytes )
        memcpy(&value, bytes, sizeof(value));
    return value;
}

static inline uint32_t perf_u32(struct cursor *from)
{
    const uint8_t *bytes = get_bytes(from, sizeof(uint32_t));
    uint32_t value = 0;

    if ( bytes )
        memcpy(&value, bytes, sizeof(value));
    return value;
}

/* Returns the text that fills the next size bytes, or NULL, and from is bad, if
 * it does not end among them. */
static inline const char *perf_text(struct cursor *from, size_t size)
{
    const uint8_t *bytes = get_bytes(from, size);

    if ( bytes && memchr(bytes, '\0', size) )
        return (const char *)bytes;
    from->bad = true;
    return NULL;
}

#endif
