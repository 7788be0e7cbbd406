/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a writer knows of its session so far, apart from samples: the last
 * value of each attribute, domain, ring and counter; rings that have ended are
 * sums.  A new file begins with all of them, and a writer that continues after
 * a crash reads them back from the last file.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_STATE_H
#define XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_STATE_H

#include "base/id-table.h"
#include "base/table.h"
#include "base/vector.h"
#include "libxenoprof.h"
#include "ring-sums.h"
#include "session-owners.h"
#include "session-tables.h"

/* key, value, uuid, name and kind are numbers of strings. */
struct attribute_state {
    uint64_t time;
    uint32_t key;
    uint32_t value;
};

struct domain_state {
    uint64_t time;
    uint32_t uuid;
    uint32_t name;
    uint32_t kind;
    uint16_t domain;
    bool given; /* the number was another domain's before */
};

struct session_state {
    struct session_tables tables;
    struct owners owners; /* of places and stacks */
    struct id_table string_ids, place_ids, stack_ids;
    struct id_table base_ids; /* stacks by their ends; see index_find_base() */
    struct {
        VECTOR(struct attribute_state);
    } attributes;
    struct {
        VECTOR(struct domain_state);
    } domains;
    struct {
        VECTOR(struct xenoprof_ring_past);
    } rings;
    struct table ring_sums; /* of those that have ended */
    /* Index into each of them + 1. */
    struct id_table attribute_ids, domain_ids, ring_ids;
    struct xenoprof_counters counters;
    uint64_t counters_time;
    bool counted; /* there are counters */
    bool closed;
};

void state_init(struct session_state *state);
void state_deinit(struct session_state *state);

/* Each takes the last value of something.  Returns true, and in *changed
 * whether it differs from the value before, or false if there is no memory. */
bool state_attribute(struct session_state *state,
                     const struct attribute_state *attribute, bool *changed);
/* Another uuid makes the places of that domain number stale. */
bool state_domain(struct session_state *state,
                  const struct domain_state *domain, bool *changed);
/* Returns the domain that has this number now, or NULL if none is known. */
const struct domain_state *state_domain_now(const struct session_state *state,
                                            uint16_t domain);
/* Forgets the domains that have ended (session-sweep.h). */
void state_drop_domains(struct session_state *state);
/* Forgets an attribute, if there is one with this key. */
void state_drop_attribute(struct session_state *state, uint32_t key);
bool state_ring(struct session_state *state,
                const struct xenoprof_ring_past *ring, bool *changed);

/* The ring becomes a part of its owner's sum, if it is known.  Returns false if
 * there is no memory; the ring is then as before. */
bool state_end_ring(struct session_state *state,
                    const struct xenoprof_ring_info *info);

#endif
