/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions with the samples at each of their addresses, without the functions
 * that they called.  A function of Xen is one for all domains, one of a kernel
 * for all that run it; other functions are counted by domain.
 */
#ifndef XENOPROF_REPORT_CODE_HITS_H
#define XENOPROF_REPORT_CODE_HITS_H

#include "hit-homes.h"

/* The samples at an address. */
struct hit {
    struct {
        uint64_t address;
        uint64_t function; /* index into hits.functions */
    } key;
    uint64_t samples;
    uint64_t time;    /* ns */
    const char *path; /* of its line of source, as the session says; it is
                         loaded's, NULL: not known */
    uint32_t line;
};

struct function {
    struct {
        uint64_t start;  /* of its symbol; 0: not known */
        uint32_t image;  /* in loaded.names */
        uint32_t symbol; /* the same */
        uint32_t domain; /* index; of a kernel the first that runs it;
                            DOMAIN_INDEX_OTHER for Xen */
        uint32_t mode;   /* enum xenoprof_mode */
    } key;
    uint64_t samples;
    uint64_t time;
    const struct hit **hits; /* by address; part of hits.by_address */
    size_t count;
};

/* What a domain had of a function. */
struct hit_share {
    struct {
        uint32_t function; /* index into hits.functions */
        uint32_t domain;   /* index into loaded.domains */
    } key;
    uint64_t time; /* ns */
};

/* What a domain had at an address. */
struct hit_part {
    struct {
        uint64_t address;
        uint32_t function; /* index into hits.functions */
        uint32_t domain;   /* index into loaded.domains */
    } key;
    uint64_t samples;
    uint64_t time; /* ns */
};

struct hits {
    struct table functions; /* struct function */
    struct table addresses; /* struct hit */
    struct table shares;    /* struct hit_share */
    struct table parts;     /* struct hit_part; empty unless asked for */
    struct hit_home *homes; /* by domain */
    const struct hit **by_address;
    const struct function **sorted; /* by time, then by samples */
    uint64_t samples;               /* of all functions */
    uint64_t time;
    uint64_t time_all; /* of all cells, dropped ones too */
};

/* Gather from the cells that are not dropped.  pattern is as for --symbol, or
 * IMAGE:PATTERN, where IMAGE is a pattern for an image or for the last part of
 * its path. */
void hits_gather(struct hits *hits, const struct loaded *loaded,
                 const char *pattern);
/* The same of all functions, and parts. */
void hits_gather_parts(struct hits *hits, const struct loaded *loaded);
void hits_free(struct hits *hits);

/* Each returns a name that loaded owns; never NULL. */
const char *function_symbol(const struct loaded *loaded,
                            const struct function *function);
const char *function_image(const struct loaded *loaded,
                           const struct function *function);

#endif
