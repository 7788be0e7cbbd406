/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a guest's own perf.data says: which thread ran when, and, by what each
 * process had mapped at a time, the names of addresses.
 */
#ifndef XENOPROF_REPORT_MERGE_MERGE_GUEST_H
#define XENOPROF_REPORT_MERGE_MERGE_GUEST_H

#include "merge-host.h"
#include "report/import/import-formats.h"

struct merge_guest_sample {
    uint64_t time;
    uint32_t tid, cpu;
    uint32_t chain; /* of merge_guest.chains: places of the process; 0: none */
    bool whole;     /* it reaches its root, as far as perf knows */
};

struct merge_place {
    struct {
        uint64_t address, start;
        uint32_t image, symbol; /* in merge_guest.names; 0: not known */
    } key;
};

struct merge_guest {
    struct import_file file;
    struct {
        VECTOR(struct merge_guest_sample);
    } samples;            /* as they come */
    uint64_t half;        /* ns: of the time from one to the next of a CPU */
    uint64_t first, last; /* times */
    uint64_t utc, utc_at; /* ns since 1970 at a time; utc 0: not said */
    struct names names;
    struct table places;        /* struct merge_place, by number less 1 */
    struct merge_chains chains; /* of numbers of places */
    uint64_t named; /* samples whose process's code got a name, or a file */
};

/* Opens a perf.data.  Returns STATUS_DONE, or a failure if it is none.
 * merge_guest_close() in any case. */
enum exit_status merge_guest_open(struct merge_guest *guest, const char *path,
                                  struct failure *failure);
void merge_guest_close(struct merge_guest *guest);

/* Reads which threads ran.  Returns as perf_reader_run() does. */
enum exit_status merge_guest_read(struct merge_guest *guest,
                                  struct failure *failure);
/* The same, malloc'ed. */
struct clock_moments merge_guest_moments(const struct merge_guest *guest);

/* Names the samples of one domain of the host, whose clock is the guest's and
 * that offset.  Returns as perf_reader_run() does. */
enum exit_status merge_guest_name(struct merge_guest *guest,
                                  struct merge_host *host, uint16_t domain,
                                  int64_t offset, struct failure *failure);

#endif
