/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside a session's writer: items gather in raw, and a flush writes them as a
 * block.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_WRITER_H
#define XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_WRITER_H

#include <zstd.h>

#include "base/buffer.h"
#include "libxenoprof/handle.h"
#include "session-state.h"

/* What the next item is coded against; zeroes at a block's beginning. */
struct session_before {
    uint64_t time;
    uint64_t address;
    uint32_t place;
    uint32_t stack; /* defined last */
    uint32_t period;
    uint32_t marks;
    uint16_t domain;
    uint16_t vcpu;
    uint16_t pcpu;
    uint8_t weight;
};

/* A file that is whole: nothing is written to it any more. */
struct writer_file {
    uint64_t size;
    uint64_t before; /* samples of the session before it */
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
    uint64_t before_file; /* samples of the session before this file */
    uint64_t expired;     /* samples in files that were dropped */
    struct {
        VECTOR(struct writer_file);
    } files; /* whole ones, the oldest first */
    uint64_t session;
    uint64_t sequence; /* of the next block */
    struct buffer raw;
    struct buffer block;
    size_t preamble; /* bytes of raw that repeat earlier files */
    struct session_before before;
    struct session_state state;
    ZSTD_CCtx *zstd;
};

/* Append an item to raw, after the strings and places that it needs. */
enum xenoprof_status encode_attribute(struct xenoprof_writer *writer,
                                      const struct attribute_state *attribute);
enum xenoprof_status encode_domain(struct xenoprof_writer *writer,
                                   const struct domain_state *domain);
enum xenoprof_status encode_place(struct xenoprof_writer *writer,
                                  uint32_t number);
enum xenoprof_status encode_stack(struct xenoprof_writer *writer,
                                  uint32_t number);
enum xenoprof_status encode_sample(struct xenoprof_writer *writer,
                                   const struct xenoprof_stored *sample);
enum xenoprof_status encode_ring(struct xenoprof_writer *writer,
                                 const struct xenoprof_ring_past *ring);
/* first: it takes the place of all that earlier files say of rings. */
enum xenoprof_status encode_ring_sum(struct xenoprof_writer *writer,
                                     const struct xenoprof_ring_sum *sum,
                                     bool first);
enum xenoprof_status encode_counters(struct xenoprof_writer *writer,
                                     uint64_t time,
                                     const struct xenoprof_counters *counters);
enum xenoprof_status encode_idle(struct xenoprof_writer *writer, uint64_t time,
                                 uint16_t pcpu, uint64_t idle);
enum xenoprof_status encode_closed(struct xenoprof_writer *writer,
                                   uint64_t time);
/* The highest numbers given out so far; a file need not define all. */
enum xenoprof_status encode_numbers(struct xenoprof_writer *writer);
/* *ret becomes the number of a text, which the current file then defines; 0 for
 * NULL.  Returns XENOPROF_INVALID for a text that is too long. */
enum xenoprof_status encode_text(struct xenoprof_writer *writer,
                                 const char *text, uint32_t *ret);

/* Begin a block; with file it is the first of a file, and repeats what is
 * known. */
enum xenoprof_status writer_begin(struct xenoprof_writer *writer, bool file);

/* Returns the samples of the session so far, as its rings have them. */
uint64_t writer_samples_before(const struct xenoprof_writer *writer);
/* The current file is whole.  XENOPROF_NO_MEMORY if it cannot be noted. */
enum xenoprof_status writer_keep_file(struct xenoprof_writer *writer);
/* The files that an earlier writer left are whole. */
enum xenoprof_status writer_find_files(struct xenoprof_writer *writer);
/* Drop the oldest files, so that one more fits into the largest size. */
void writer_expire(struct xenoprof_writer *writer);

/* Make a writer on an existing folder and lock the folder; nothing is read or
 * written. */
enum xenoprof_status writer_new(struct xenoprof_handle *handle,
                                const char *folder,
                                struct xenoprof_writer **ret);
/* Create the current file with its header, and wait until both are on disk. */
enum xenoprof_status writer_make_file(struct xenoprof_writer *writer);

#endif
