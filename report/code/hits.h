/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions by name, with what fell on each of their addresses: leaves only,
 * what they called is not in it.  A function of Xen's is one for all domains;
 * of others each domain has its own.
 */
#ifndef XENOPROF_REPORT_CODE_HITS_H
#define XENOPROF_REPORT_CODE_HITS_H

#include "report/model/loaded.h"

/* What fell on an address. */
struct hit {
    struct {
        uint64_t address;
        uint64_t function; /* index into hits.functions */
    } key;
    uint64_t samples;
    uint64_t time; /* ns */
};

struct function {
    struct {
        uint64_t start;  /* of its symbol; 0: not known */
        uint32_t image;  /* in loaded.names */
        uint32_t symbol; /* the same */
        uint32_t domain; /* index; DOMAIN_INDEX_OTHER: Xen's, of all */
        uint32_t mode;   /* enum xenoprof_mode */
    } key;
    uint64_t samples;
    uint64_t time;
    const struct hit **hits; /* by address; part of hits.by_address */
    size_t count;
};

struct hits {
    struct table functions; /* struct function */
    struct table addresses; /* struct hit */
    const struct hit **by_address;
    const struct function **sorted; /* by time, then by samples */
    uint64_t samples;               /* of all functions */
    uint64_t time;
    uint64_t time_all; /* of all cells, dropped ones too */
};

/* From the cells that are not dropped.  pattern is as for --symbol, or
 * IMAGE:PATTERN, where IMAGE is a pattern for an image or for the last part of
 * its path.  False if there is no memory; hits_free() in any case. */
bool hits_gather(struct hits *hits, const struct loaded *loaded,
                 const char *pattern);
void hits_free(struct hits *hits);

/* Its name, and its image: never NULL, owned by the loaded. */
const char *function_symbol(const struct loaded *loaded,
                            const struct function *function);
const char *function_image(const struct loaded *loaded,
                           const struct function *function);

#endif
