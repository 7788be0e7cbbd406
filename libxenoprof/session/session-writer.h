/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside a session's writer: what callers say gathers in tables and rows, and a
 * flush writes them as a block.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_WRITER_H
#define XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_WRITER_H

#include "base/buffer.h"
#include "session-block.h"
#include "reader-tables.h"
#include "libxenoprof/handle.h"
#include "session-state.h"

#define DOMAIN_NUMBERS 65536u
#define FILE_AGE_MAX   3600000000000ull /* ns of Xen's clock */

/* Chains of a sample, by whose frames they are. */
enum sample_chain { CHAIN_USER, CHAIN_KERNEL, CHAIN_XEN, SAMPLE_CHAINS };

/* By the first four words a block is sorted. */
struct block_sample {
    uint32_t vcpu; /* row */
    uint32_t pcpu;
    uint32_t time[2];              /* upper half, lower half */
    uint32_t shape, thread;        /* rows */
    uint32_t nodes[SAMPLE_CHAINS]; /* rows, which get numbers with the block */
};

static inline uint64_t block_sample_time(const struct block_sample *sample)
{
    return (uint64_t)sample->time[0] << 32 | sample->time[1];
}

/* Xen's account of a pCPU, as differences count it. */
struct writer_idle {
    struct {
        uint64_t pcpu;
    } key;
    uint64_t reported;
    uint64_t time, idle; /* the last */
    bool row;            /* the block has it */
};

/* A ring's last account. */
struct writer_ring {
    uint64_t values[SESSION_ACCOUNT_VALUES];
    uint16_t state;
    bool row;   /* the block has it */
    bool ended; /* it is in a sum that was copied */
};

/* What a block has besides definitions; it stays until it is on disk. */
struct writer_block {
    struct session_rows
        rows[SESSION_TABLES_MAX]; /* by table; NAMED and LINE have
                                                 places by rows, not numbers */
    struct {
        VECTOR(struct block_sample);
    } samples;
    size_t pending; /* bytes that callers added, about */
    bool absolute;
};

/* Parts of chains that came last, in ways by their hash: at first so many, and
 * twice as many as often as one of each way's came again that had made room for
 * others. */
#define KNOWN_PARTS_FIRST 4096u
#define KNOWN_PARTS_MOST  131072u
#define KNOWN_WAYS        4u

struct known_part {
    uint64_t hash;
    uint32_t node;  /* row of its leaf's */
    uint32_t count; /* of frames; 0: none */
};

/* Where a chain goes from its root on, the last one that was looked up frame by
 * frame: the next one often begins with a part of that.  And the part that was
 * looked for last: the next one often is the same, asked about before it is
 * put. */
#define WAY_MAX 128u

struct known_way {
    uint32_t places[WAY_MAX], nodes[WAY_MAX]; /* rows */
    uint64_t paths[WAY_MAX];
    uint32_t count;
    uint32_t last[WAY_MAX]; /* places, leaf first */
    uint32_t last_count;    /* 0: it has no room for them */
    uint32_t last_node;     /* of its leaf; 0: not known */
    uint64_t last_hash;
    size_t missed; /* nodes and 1 that there were when the way ended where no
                      node was; 0: it did not */
};

/* A place without a name, on its way into the next file; texts are
 * malloc'ed. */
struct carried_place {
    struct defined_domain domain; /* but for its kind, which is: */
    char *kind;
    char *image; /* NULL: unknown */
    uint64_t address;
};

struct carried {
    VECTOR(struct carried_place);
};

/* What samples may be of, as callers declared it; texts are malloc'ed. */
struct writer_type {
    char *name; /* NULL: it is not declared */
    char *unit;
    uint64_t select;
    uint64_t period;
    uint32_t turns;
    uint32_t row; /* of the file; 0: none yet */
};

/* A file that is whole: nothing is written to it any more. */
struct writer_file {
    uint64_t size;
    uint64_t before; /* samples of the session before it */
    uint64_t last;   /* Xen's time at its end; 0: not known */
    uint32_t number;
};

struct xenoprof_writer {
    struct xenoprof_handle *handle;
    char *folder;
    int folder_fd;      /* holds the lock against other writers */
    int fd;             /* current file; -1: the next flush makes it */
    uint32_t file;      /* its number */
    uint64_t file_size; /* whole blocks only */
    uint64_t rotate_at;
    uint64_t max_size;    /* of all files; 0: none */
    uint64_t max_age;     /* ns of Xen's time; 0: none */
    uint64_t file_age;    /* at which a file ends */
    uint64_t now;         /* Xen's time, as counters last said it; 0: never */
    uint64_t before_file; /* samples of the session before this file */
    uint64_t expired;     /* samples in files that were dropped */
    struct {
        VECTOR(struct writer_file);
    } files;     /* whole ones, the oldest first */
    bool copies; /* what a session said: as it was, into one file, which is
                    synced by whoever copies */
    uint64_t session;
    uint64_t sequence; /* of the next block */
    uint64_t samples;  /* of the session in blocks */
    uint64_t unit;     /* ns of a unit of time of samples */
    struct session_state state;

    /* What the current file defines. */
    struct defined_tables tables;
    struct tables_written written;
    uint32_t files_ended;   /* files that this writer ended */
    uint64_t places_before; /* numbers that callers have begin after it */
    uint32_t *domain_rows;  /* by number; 0: not looked for yet */
    uint32_t xen_spaces[XENOPROF_MODES]; /* rows; 0: none yet */
    struct known_part *known;            /* known_room of them */
    size_t known_room;
    size_t known_gone;      /* that came again, since there is so much room */
    struct known_way *ways; /* SAMPLE_CHAINS */
    uint32_t carried;       /* the first so many are of the file before */
    struct writer_type types[XENOPROF_TYPES_MAX];
    struct {
        VECTOR(struct writer_ring);
    } rings;                     /* by row of tables.rings */
    struct table idles;          /* struct writer_idle */
    uint64_t file_began, newest; /* Xen's times; 0: none yet */
    unsigned int relative;       /* blocks since an absolute one */

    struct writer_block block;
    struct section_writer section, samples_section;
    struct buffer bytes;
};

/* Returns true if callers may add more before the next flush; else says why
 * not. */
bool writer_has_room(struct xenoprof_writer *writer);
/* Xen's clock is at least there. */
void writer_note_time(struct xenoprof_writer *writer, uint64_t time);

/* Each returns a number of the current file, made if it is new, or 0 if there
 * is no memory or no room. */
uint32_t writer_text(struct xenoprof_writer *writer, const char *text);
/* The same, but 0 for ""; *done becomes false if there is no memory. */
uint32_t writer_text_row(struct xenoprof_writer *writer, const char *text,
                         bool *done);
/* The domain that has this number now. */
uint32_t writer_domain_row(struct xenoprof_writer *writer, uint16_t number);
/* The space of addresses of a domain's mode. */
uint32_t writer_space(struct xenoprof_writer *writer, uint16_t domain,
                      uint8_t mode);

/* The types that need no declaration.  Returns false if there is no memory. */
bool writer_types_init(struct xenoprof_writer *writer);
void writer_types_free(struct xenoprof_writer *writer);
/* Whether samples may be of this type. */
bool writer_types_has(const struct xenoprof_writer *writer, uint16_t number);
/* A file begins with what was declared.  Returns false if there is no
 * memory. */
bool writer_types_begin_file(struct xenoprof_writer *writer);
/* As those above; the type is one that there is. */
uint32_t writer_type_row(struct xenoprof_writer *writer, uint16_t number);

/* What a number of a caller's is in this file, or 0. */
static inline uint32_t writer_place_of(const struct xenoprof_writer *writer,
                                       uint32_t number)
{
    uint64_t place = number - writer->places_before;

    return number > writer->places_before &&
                   place <= writer->tables.places.count
               ? (uint32_t)place
               : 0;
}

/* Puts the rows of places, leaf first, which have these numbers, into *rows; 0
 * for those that this file does not have.  Returns whether it has all. */
bool writer_place_rows(const struct xenoprof_writer *writer,
                       const uint32_t *numbers, size_t count, uint32_t *rows);
/* Puts a chain's nodes, made if they are new, into *nodes: rows, 0 for none.
 * Returns false if there is no memory or no room. */
bool writer_chain(struct xenoprof_writer *writer, const uint32_t *rows,
                  size_t count, uint32_t nodes[SAMPLE_CHAINS]);

/* A new row of the table with this number, or NULL if there is no memory.  It
 * has the members of *from that its columns are of, and zeroes; from may be
 * NULL. */
uint64_t *block_add_row(struct xenoprof_writer *writer, uint32_t number,
                        const void *from);

/* Each adds to the block what it is given.  Returns false if there is no
 * memory. */
bool block_note(struct xenoprof_writer *writer, uint64_t time, uint32_t domain,
                const char *key, const char *value);
bool block_ring(struct xenoprof_writer *writer,
                const struct xenoprof_ring_past *ring);
bool block_counters(struct xenoprof_writer *writer, uint64_t time,
                    const struct xenoprof_counters *counters);
bool block_idle(struct xenoprof_writer *writer, uint64_t time, uint16_t pcpu,
                uint64_t idle);
bool block_closed(struct xenoprof_writer *writer, uint64_t time);
bool block_sum(struct xenoprof_writer *writer,
               const struct xenoprof_ring_sum *sum);
/* Adds what is known of the session: the block begins a file. */
bool block_known(struct xenoprof_writer *writer);

/* Begin a block; with file it is the first of a file. */
enum xenoprof_status writer_begin(struct xenoprof_writer *writer, bool file);
/* The rows of the block before are on disk, or of another file.  absolute: the
 * next differences are those to 0. */
void block_begin_rows(struct xenoprof_writer *writer, bool absolute);
/* The block that is being made becomes an absolute one: its file's last. */
void block_make_absolute(struct xenoprof_writer *writer);
/* An absolute block gets what it does not say yet.  Returns false if there is
 * no memory. */
bool block_complete(struct xenoprof_writer *writer);
/* Puts the block into writer->bytes.  Returns false if there is no memory. */
bool block_seal(struct xenoprof_writer *writer);
/* It is on disk. */
void block_wrote(struct xenoprof_writer *writer);
void block_free(struct writer_block *block);

/* Places of guests' kernels that have no name yet go from the tables of a file
 * to those of the next, if their domain has not ended.  Each returns false if
 * there is no memory; carry_in() frees them in any case. */
bool carry_out(const struct defined_tables *tables,
               const struct session_state *state, struct carried *carried);
bool carry_in(struct defined_tables *tables, struct carried *carried);
/* Takes those of a file that was read: its writer died.  Returns false if there
 * is no memory. */
bool carry_read(struct defined_tables *tables,
                const struct reader_tables *read);

/* Returns the samples of the session so far, as its rings have them. */
uint64_t writer_samples_before(const struct xenoprof_writer *writer);
/* The current file is whole.  XENOPROF_NO_MEMORY if it cannot be noted. */
enum xenoprof_status writer_keep_file(struct xenoprof_writer *writer);
/* The files that an earlier writer left are whole. */
enum xenoprof_status writer_find_files(struct xenoprof_writer *writer);
/* Drop the oldest files, so that one more fits into the largest size. */
void writer_expire(struct xenoprof_writer *writer);
/* Drop the files that are too old; the current one has a block. */
void writer_expire_old(struct xenoprof_writer *writer);

/* Make a writer on an existing folder and lock the folder; nothing is read or
 * written. */
enum xenoprof_status writer_new(struct xenoprof_handle *handle,
                                const char *folder,
                                struct xenoprof_writer **ret);
/* Create the current file with its header, and wait until both are on disk. */
enum xenoprof_status writer_make_file(struct xenoprof_writer *writer);

#endif
