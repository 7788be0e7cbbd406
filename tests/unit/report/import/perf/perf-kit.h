/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small files of perf, for their reader's tests and seeds. */
#ifndef XENOPROF_TESTS_UNIT_REPORT_IMPORT_PERF_PERF_KIT_H
#define XENOPROF_TESTS_UNIT_REPORT_IMPORT_PERF_PERF_KIT_H

#include "report/import/perf/perf-format.h"

/* Records, of an event cpu-clock with call chains. */
struct perf_kit {
    struct buffer records;
    bool stacks;   /* the event has registers and stacks, too; set it first */
    bool branches; /* the same: calls that the processor noted */
    uint64_t utc, utc_at; /* ns since 1970 at a time; 0: it does not say */
};

/* A sample of CPU 1, with a period of 10. */
struct perf_kit_sample {
    uint16_t misc;
    uint32_t pid;
    uint64_t time, ip;
    const uint64_t *chain;
    size_t count;
    const uint64_t *registers; /* bp, sp, ip; NULL: none */
    const uint64_t *stack;
    size_t words;
    const uint64_t *branches; /* from, to, flags of each */
    size_t branch_count;
};

void perf_kit_record(struct perf_kit *kit, uint32_t type, uint16_t misc,
                     const void *body, size_t size);
void perf_kit_put_sample(struct perf_kit *kit,
                         const struct perf_kit_sample *sample);
void perf_kit_comm(struct perf_kit *kit, uint64_t time, uint32_t pid,
                   const char *comm, bool exec);
/* A process's; of the kernel if pid is UINT32_MAX. */
void perf_kit_map(struct perf_kit *kit, uint64_t time, uint32_t pid,
                  const char *path, uint64_t start, uint64_t size);
void perf_kit_fork(struct perf_kit *kit, uint64_t time, uint32_t type,
                   uint32_t pid, uint32_t parent);
void perf_kit_lost(struct perf_kit *kit, uint64_t time, uint64_t count);
void perf_kit_round(struct perf_kit *kit);

/* Each puts these records into a file, which says that its host is "box". */
void perf_kit_file(const struct perf_kit *kit, struct buffer *ret);
void perf_kit_pipe(const struct perf_kit *kit, struct buffer *ret);
/* As perf record -z has them: cut at any byte into two packed records. */
void perf_kit_packed(const struct perf_kit *kit, struct buffer *ret);

/* What seeds begin with: processes, a fork, a module, a guest; and stacks. */
void perf_kit_example(struct perf_kit *kit);
void perf_kit_free(struct perf_kit *kit);

#endif
