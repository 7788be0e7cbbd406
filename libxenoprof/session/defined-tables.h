/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a writer's current file defines: texts, domains, places, nodes and so
 * on, by number from 1.  Each is found by what it is, and made if it is new;
 * rows that are not on disk yet are the last ones.  All of it ends with the
 * file, so its memory is bounded however long a session is.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_DEFINED_TABLES_H
#define XENOPROF_LIBXENOPROF_SESSION_DEFINED_TABLES_H

#include "base/buffer.h"
#include "base/table.h"
#include "base/vector.h"
#include "block-section.h"
#include "libxenoprof.h"

/* Beyond these a file has no text, place, node. */
#define FILE_TEXTS_MAX  (1u << 20)
#define FILE_PLACES_MAX (1u << 21)
#define FILE_NODES_MAX  (1u << 22)

/* Nor an entry beyond these in all, or with a detail beyond these of one
 * guest. */
#define FILE_ENTRIES_MAX (1u << 16)
#define FILE_DETAILS_MAX 256u

/* Nor a thread beyond these in all, or of one guest. */
#define FILE_THREADS_MAX       (1u << 18)
#define FILE_THREADS_GUEST_MAX 4096u

/* Nor more bytes of texts that say where one guest's threads come from. */
#define FILE_ORIGIN_BYTES_MAX (256u << 10)

struct defined_text {
    size_t at; /* in text_bytes */
    uint32_t size;
};

/* Of some of these a reader has the same; known is the reader's: it read the
 * row. */
struct defined_domain {
    uint64_t uuid[2]; /* as its bytes lie in memory; zeroes: not known */
    uint32_t kind;    /* text; 0: not known */
    uint16_t number;
    uint16_t known;
};

struct defined_vcpu {
    uint32_t domain; /* row */
    uint16_t number;
    uint16_t unused;
};

/* Whose addresses; Xen's are the same for all. */
struct defined_space {
    uint32_t domain; /* row; 0: any */
    uint8_t mode;
    uint8_t unused[3];
};

struct defined_symbol {
    uint64_t start;
    uint32_t image; /* texts; 0: unknown */
    uint32_t name;
};

struct defined_place {
    struct {
        uint64_t address;
        uint32_t space;
        uint32_t turn; /* of places that have this address one after the other,
                          with different names */
    } key;
    uint32_t symbol; /* 0: nothing is known */
    uint32_t turns;  /* of the first: how many came after it */
};

/* A frame and its callers.  A block gives its new nodes their numbers in the
 * order of their parents, and its new places theirs in the order of nodes,
 * which then take half the bytes; until then each is known by its row. */
struct defined_node {
    struct {
        uint32_t parent; /* row; 0: none */
        uint32_t place;  /* 0: unknown */
    } key;
    uint32_t number; /* 0: none yet */
};

/* What many samples have in common. */
struct defined_shape {
    uint64_t period;
    uint32_t has; /* SHAPE_HAS_... */
    uint32_t marks;
    uint32_t type;
    uint32_t entry; /* 0: not known */
    uint8_t weight;
    uint8_t known;
    uint8_t unused[6];
};

/* How much of what guests choose a guest brought in: details of entries,
 * threads, and where these come from. */
struct defined_details {
    struct {
        uint64_t uuid[2];
    } key;
    uint32_t count;
    uint32_t threads;
    uint32_t origin_bytes;
};

/* By its number. */
struct defined_type {
    uint16_t number; /* enum xenoprof_type_number */
    uint16_t known;
    uint32_t name; /* texts */
    uint32_t unit;
    uint32_t turns;
    uint64_t select;
    uint64_t period;
};

/* What an account says of a ring, as its differences count it. */
#define SESSION_ACCOUNT_VALUES                                                 \
    (SESSION_ACCOUNT_LOST_3 + 1 - SESSION_ACCOUNT_POSITION)

/* By its ring and generation. */
struct defined_ring {
    uint32_t ring;
    uint32_t generation;
    uint32_t uuid; /* text */
    uint32_t size;
    uint16_t domain, vcpu, kind;
    uint64_t reported[SESSION_ACCOUNT_VALUES]; /* in a block before */
};

#define NODE_TURNS 4u

struct defined_tables {
    struct buffer text_bytes;
    struct {
        VECTOR(struct defined_text);
    } texts;
    struct id_table text_ids;
    struct table domains, vcpus, spaces, symbols, places, nodes, rings;
    struct table types, shapes;
    struct table entries; /* struct xenoprof_entry */
    struct table threads; /* struct xenoprof_thread */
    struct table details; /* struct defined_details */
    struct section_shapes shape_has;
    struct {
        VECTOR(uint32_t);
    } numbered;                   /* rows of nodes, by number less 1 */
    size_t turn_ends[NODE_TURNS]; /* of these: in turn at places that were
                                      known, and at new ones; 0: none */
    struct {
        VECTOR(uint32_t);
    } numbered_places; /* of places */
    struct {
        VECTOR(uint32_t);
    } place_numbers; /* the other way round; 0, or not there: none yet */
    size_t last_vcpu, last_shape; /* that were defined: most samples' */
    uint32_t texts_max, places_max, nodes_max;
    bool copied; /* guests were limited when all this was written first */
};

/* With the limits of a file. */
void defined_tables_init(struct defined_tables *tables);
/* What defined_tables_init() makes is left. */
void defined_tables_clear(struct defined_tables *tables);
void defined_tables_free(struct defined_tables *tables);

/* Returns how many bytes of what the tables take are in use. */
size_t defined_tables_bytes(const struct defined_tables *tables);
/* Returns how many bytes they take in memory with so many more places and
 * nodes, of which there are most. */
size_t defined_tables_take(const struct defined_tables *tables, size_t places,
                           size_t nodes);

/* Each returns a number from 1, or 0 if there is no memory or no room. */
uint32_t define_text(struct defined_tables *tables, const void *bytes,
                     size_t size);
uint32_t define_domain(struct defined_tables *tables, uint16_t number,
                       const uint64_t uuid[2], uint32_t kind);
uint32_t define_vcpu(struct defined_tables *tables, uint32_t domain,
                     uint16_t number);
uint32_t define_space(struct defined_tables *tables, uint32_t domain,
                      uint8_t mode);
uint32_t define_symbol(struct defined_tables *tables, uint32_t image,
                       uint32_t name, uint64_t start);
/* *named: it was there and had no name, and is not of user code. */
uint32_t define_place(struct defined_tables *tables, uint32_t space,
                      uint64_t address, uint32_t symbol, bool *named);
/* parent and what is returned are rows, from 1; path is that of the new node's
 * place.  *fresh: it is not there yet; set to whether it was not. */
uint32_t define_node(struct defined_tables *tables, uint64_t path,
                     uint32_t parent, uint32_t place, bool *fresh);
uint32_t define_type(struct defined_tables *tables,
                     const struct defined_type *type);
uint32_t define_shape(struct defined_tables *tables,
                      const struct defined_shape *shape);
/* Of the guest with this uuid; without its detail if the guest has no more. */
uint32_t define_entry(struct defined_tables *tables, const uint64_t uuid[2],
                      const struct xenoprof_entry *entry);

/* A thread of the guest with this uuid; or XENOPROF_THREAD_MANY if the guest
 * has no more. */
uint32_t define_thread(struct defined_tables *tables, const uint64_t uuid[2],
                       const struct xenoprof_thread *thread);

/* Returns the number of a text of the guest with this uuid; or 0 as above, or
 * if the guest has no more. */
uint32_t define_origin_text(struct defined_tables *tables,
                            const uint64_t uuid[2], const char *text);

/* Each returns the number of what is there, or 0. */
uint32_t defined_find_space(const struct defined_tables *tables,
                            uint32_t domain, uint8_t mode);
uint32_t defined_find_place(const struct defined_tables *tables, uint32_t space,
                            uint64_t address);
/* Asks for the memory of what is looked for, or put, soon. */
void defined_expect_place(const struct defined_tables *tables, uint32_t space,
                          uint64_t address);
uint32_t defined_find_node(const struct defined_tables *tables, uint64_t path,
                           uint32_t parent, uint32_t place);

/*
 * Nodes are found by the hash of their places from the root on, their path,
 * not by that of parent and place: so memory can be asked for all nodes of a
 * chain at once, before any of them is found.
 */
static inline uint64_t defined_path_begin(const struct defined_tables *tables)
{
    return tables->nodes.ids.seed;
}

static inline uint64_t defined_path_below(uint64_t path, uint32_t place)
{
    return hash_mix(path, place + 1ull);
}

/* Ask for the memory of the node that has this path: first where it is found,
 * then of the node itself.  The second returns its row, or 0 if there is none;
 * rarely that of another one. */
void defined_expect_node(const struct defined_tables *tables, uint64_t path);
uint32_t defined_expect_found(const struct defined_tables *tables,
                              uint64_t path);
/* row is a node's. */
static inline const struct defined_node *defined_node_at(
    const struct defined_tables *tables, uint32_t row)
{
    return (const struct defined_node *)tables->nodes.entries + (row - 1);
}

/* Gives all nodes and places numbers.  Returns false if there is no memory. */
bool defined_number_nodes(struct defined_tables *tables);
/* Returns the number of a place by its row; 0 if it has none. */
static inline uint32_t defined_place_number(const struct defined_tables *tables,
                                            uint32_t row)
{
    return row - 1 < tables->place_numbers.count
               ? tables->place_numbers.items[row - 1]
               : 0;
}
/* Returns the number of a node by its row; 0 for 0. */
static inline uint32_t defined_node_number(const struct defined_tables *tables,
                                           uint32_t row)
{
    const struct defined_node *node = row ? table_at(&tables->nodes, row - 1)
                                          : NULL;

    return node ? node->number : 0;
}

/* row is a place's. */
const struct defined_place *defined_place_at(
    const struct defined_tables *tables, uint32_t row);
/* Whether a place has a name. */
bool defined_is_named(const struct defined_tables *tables,
                      const struct defined_place *place);

/* How many rows of each numbered table are on disk, by its number. */
struct tables_written {
    size_t rows[SESSION_TABLE_THREAD + 1];
};

/* Adds to the section the rows that are not on disk yet, and for an absolute
 * block all of small tables, so that who ran is known however much is lost
 * before it; all nodes and places have numbers.  Returns false if there is no
 * memory. */
bool defined_tables_put(const struct defined_tables *tables,
                        const struct tables_written *written, bool absolute,
                        struct section_writer *section);
/* All rows are on disk. */
void defined_tables_wrote(const struct defined_tables *tables,
                          struct tables_written *written);

#endif
