/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of a perf.data, and what their samples say. */
#ifndef XENOPROF_REPORT_IMPORT_PERF_PERF_SAMPLE_H
#define XENOPROF_REPORT_IMPORT_PERF_PERF_SAMPLE_H

#include "base/table.h"
#include "base/vector.h"
#include "perf-format.h"

struct perf_event {
    struct perf_event_attr attr; /* what an older perf did not know is 0 */
    char *name;                  /* NULL: not said yet */
    uint16_t type;               /* of the session; 0: not declared yet */
};

struct perf_data_events {
    struct {
        VECTOR(struct perf_event);
    } list;
    struct table by_id; /* index of each */
};

void perf_events_init(struct perf_data_events *events);
void perf_events_free(struct perf_data_events *events);

/* Takes an event's attributes, of so many bytes.  Returns its index, or
 * SIZE_MAX if they are too short. */
size_t perf_events_add(struct perf_data_events *events, const uint8_t *bytes,
                       size_t size);
/* This number is that of the event with the index. */
void perf_events_identify(struct perf_data_events *events, size_t index,
                          uint64_t id);
void perf_events_call(struct perf_data_events *events, size_t index,
                      const char *name, size_t size);
/* Returns the index of the event with this number, or SIZE_MAX. */
size_t perf_events_find(const struct perf_data_events *events, uint64_t id);
/* Returns the event's name, or what its type and number say; malloc'ed. */
char *perf_event_name(const struct perf_event *event);

/* What a record says of when, where and whom; 0 where it does not. */
struct perf_when {
    bool timed;
    uint64_t time;
    uint32_t pid, tid, cpu;
};

struct perf_data_sample {
    struct perf_when when;
    struct perf_event *event;
    uint64_t ip, period;
    struct cursor chain;  /* u64 each */
    struct cursor branch; /* from, to, flags: u64 each; the newest first */
    bool has_registers;
    struct cursor registers; /* u64 each, of the bits of sample_regs_user */
    struct cursor stack;     /* from the stack pointer on */
};

/* Returns false if the body is not whole, or no event is known. */
bool perf_sample_read(const struct perf_data_events *events, struct cursor body,
                      struct perf_data_sample *ret);
/* The same of what follows other records' own members. */
void perf_when_read(const struct perf_data_events *events,
                    const struct cursor *body, struct perf_when *ret);

#endif
