/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What perf.data is made of beside the records of perf_event_open(2): by
 * tools/perf/Documentation/perf.data-file-format.txt of Linux 6.1.
 */
#ifndef XENOPROF_REPORT_EXPORT_PERF_FILE_H
#define XENOPROF_REPORT_EXPORT_PERF_FILE_H

#include <linux/perf_event.h>
#include <stdint.h>

#define PERF_FILE_MAGIC         0x32454c4946524550ull /* "PERFILE2" */
#define PERF_FINISHED_ROUND     68u /* a record: what came before is sorted */
#define PERF_FILE_BUILD_ID_MAX  20u /* bytes of one */
#define PERF_FILE_BUILD_ID_SIZE (1u << 15) /* misc: it says how many it has */
#define PERF_TEXT_ALIGN         64u /* of the length of texts in features */

struct perf_file_part {
    uint64_t offset;
    uint64_t size;
};

struct perf_file_header {
    uint64_t magic;
    uint64_t size;
    uint64_t attr_size;
    struct perf_file_part attrs, data, event_types;
    uint64_t features[4]; /* bits: enum perf_file_feature */
};

struct perf_file_event {
    uint8_t attr[PERF_ATTR_SIZE_VER5]; /* which each perf since 4.1 knows */
    struct perf_file_part ids;
};

/* Their parts follow the data, in this order. */
enum perf_file_feature {
    PERF_FILE_BUILD_ID = 2,
    PERF_FILE_HOSTNAME = 3,
    PERF_FILE_OSRELEASE = 4,
    PERF_FILE_VERSION = 5,
    PERF_FILE_ARCH = 6,
    PERF_FILE_NRCPUS = 7,
    PERF_FILE_CMDLINE = 11,
    PERF_FILE_EVENT_DESC = 12,
    PERF_FILE_SAMPLE_TIME = 21,
    PERF_FILE_CLOCK_DATA = 29
};

/* Of a feature: which build-id a file has; all zeroes behind it. */
struct perf_file_build_id {
    struct perf_event_header head; /* size with the path; misc: whose it is */
    uint32_t pid;
    uint8_t bytes[PERF_FILE_BUILD_ID_MAX], size, zeroes[3];
};

#endif
