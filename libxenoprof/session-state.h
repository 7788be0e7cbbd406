/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a writer knows of its session so far, apart from samples: the last
 * value of each attribute, domain, ring and counter.  A new file begins with
 * all of them, and a writer that continues after a crash reads them back from
 * the last file.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_STATE_H
#define XENOPROF_LIBXENOPROF_SESSION_STATE_H

#include "base/id-table.h"
#include "base/vector.h"
#include "libxenoprof.h"
#include "session-tables.h"

/* Numbers are those of strings. */
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
};

struct session_state {
    struct session_tables tables;
    struct id_table string_ids, place_ids, stack_ids;
    struct id_table base_ids; /* stacks by their ends; see state_find_base() */
    struct {
        VECTOR(struct attribute_state);
    } attributes;
    struct {
        VECTOR(struct domain_state);
    } domains;
    struct {
        VECTOR(struct xenoprof_ring_past);
    } rings;
    struct id_table ring_ids; /* index into rings + 1 */
    struct xenoprof_counters counters;
    uint64_t counters_time;
    bool counted; /* there are counters */
    bool closed;
};

void state_init(struct session_state *state);
void state_deinit(struct session_state *state);

/* The number of equal bytes, a new one if there are none; 0 if there is no
 * memory or no number left. */
uint32_t state_string(struct session_state *state, const void *bytes,
                      size_t size);

/* The number under which an address is known now; 0: none. */
uint32_t state_find_place(const struct session_state *state, uint16_t domain,
                          uint8_t mode, uint64_t address);
/* Number of this place, a new one if it is not known, or known by another
 * name; 0 as above.  Strings are numbers.  *named: it had no name yet, and must
 * be told again. */
uint32_t state_place(struct session_state *state,
                     const struct place_entry *place, bool *named);
/* The first place above number that has no symbol; 0: none. */
uint32_t state_unnamed(const struct session_state *state, uint16_t domain,
                       uint8_t mode, uint32_t number);
/* 0: there is none. */
uint32_t state_find_stack(const struct session_state *state,
                          const uint32_t *places, size_t count);
uint32_t state_stack(struct session_state *state, const uint32_t *places,
                     size_t count);
/*
 * Most stacks differ from others only in their last calls.  A stack that file
 * defines and that ends in the same *shared places as these, as many as
 * possible; 0: none.
 */
uint32_t state_find_base(const struct session_state *state, uint32_t file,
                         const uint32_t *places, uint32_t count,
                         uint32_t *shared);
/* File defines this stack from now on: others may be based on it.  False if
 * there is no memory. */
bool state_add_base(struct session_state *state, uint32_t file,
                    uint32_t number);

/* For a writer that goes on: these numbers are taken. */
bool state_take_place(struct session_state *state, uint32_t number,
                      const struct place_entry *place);
bool state_take_stack(struct session_state *state, uint32_t number,
                      const uint32_t *places, size_t count);

/* *changed says whether this is news.  False if there is no memory. */
bool state_attribute(struct session_state *state,
                     const struct attribute_state *attribute, bool *changed);
/* Another uuid makes the places of that domain number stale. */
bool state_domain(struct session_state *state,
                  const struct domain_state *domain, bool *changed);
bool state_ring(struct session_state *state,
                const struct xenoprof_ring_past *ring, bool *changed);

#endif
