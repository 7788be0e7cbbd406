/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a writer knows of its session so far, apart from samples and what these
 * refer to: the last value of each attribute, domain, ring and counter; rings
 * that have ended are sums.  A new file begins with all of them, and a writer
 * that continues after a crash reads them back from the last file.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_STATE_H
#define XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_STATE_H

#include "base/id-table.h"
#include "base/table.h"
#include "base/vector.h"
#include "libxenoprof.h"
#include "libxenoprof/ring-sums.h"

/* Texts are the state's. */
struct attribute_state {
    uint64_t time;
    char *key;
    char *value;
};

struct domain_state {
    uint64_t time;
    char *name;
    char *kind;
    uint8_t uuid[16];
    uint16_t domain;
};

struct session_state {
    struct {
        VECTOR(struct attribute_state);
    } attributes;
    struct {
        VECTOR(struct domain_state);
    } domains;
    struct {
        VECTOR(struct xenoprof_ring_past);
    } rings;
    struct table ring_sums;               /* of those that have ended */
    struct id_table domain_ids, ring_ids; /* index into each of them + 1 */
    struct xenoprof_counters counters;
    uint64_t counters_time;
    bool counted; /* there are counters */
    bool closed;
};

void state_init(struct session_state *state);
void state_deinit(struct session_state *state);

/* Each takes the last value of something, which it copies.  Returns true, and
 * in *changed whether it differs from the value before, or false if there is
 * no memory. */
bool state_attribute(struct session_state *state, uint64_t time,
                     const char *key, const char *value, bool *changed);
bool state_domain(struct session_state *state,
                  const struct domain_state *domain, bool *changed);
bool state_ring(struct session_state *state,
                const struct xenoprof_ring_past *ring, bool *changed);

/* Returns the last value, or NULL. */
const char *state_attribute_now(const struct session_state *state,
                                const char *key);
/* Returns the domain that has this number now, or NULL if none is known. */
const struct domain_state *state_domain_now(const struct session_state *state,
                                            uint16_t domain);

/* Each forgets what there is of it. */
void state_drop_attribute(struct session_state *state, const char *key);
void state_drop_domain(struct session_state *state, uint16_t domain,
                       const uint8_t uuid[16]);
/* The ring becomes a part of its owner's sum, if it is known.  Returns false if
 * there is no memory; the ring is then as before. */
bool state_end_ring(struct session_state *state,
                    const struct xenoprof_ring_info *info);

#endif
