/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside a session's writer: items gather in raw until a flush makes them a
 * block.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_WRITER_H
#define XENOPROF_LIBXENOPROF_SESSION_WRITER_H

#include <zstd.h>

#include "base/buffer.h"
#include "handle.h"
#include "session-state.h"

/* What the next sample is coded against; zero at a block's beginning. */
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

struct xenoprof_writer {
    struct xenoprof_handle *handle;
    char *folder;
    int folder_fd;      /* holds the lock that keeps other writers out */
    int fd;             /* current file; -1: made by the next flush */
    uint32_t file;      /* its number */
    uint64_t file_size; /* whole blocks only */
    uint64_t rotate_at;
    uint64_t session;
    uint64_t sequence; /* of the next block */
    struct buffer raw;
    struct buffer block;
    size_t preamble; /* bytes of raw that repeat what is known */
    struct session_before before;
    struct session_state state;
    ZSTD_CCtx *zstd;
};

/* Items, at the end of raw; all strings and places they need before them. */
enum xenoprof_status encode_attribute(struct xenoprof_writer *writer,
                                      const struct attribute_state *attribute);
enum xenoprof_status encode_domain(struct xenoprof_writer *writer,
                                   const struct domain_state *domain);
enum xenoprof_status encode_place(struct xenoprof_writer *writer,
                                  uint32_t number);
enum xenoprof_status encode_stack(struct xenoprof_writer *writer,
                                  uint32_t number);
enum xenoprof_status encode_ring(struct xenoprof_writer *writer,
                                 const struct xenoprof_ring_past *ring);
enum xenoprof_status encode_counters(struct xenoprof_writer *writer,
                                     uint64_t time,
                                     const struct xenoprof_counters *counters);
enum xenoprof_status encode_idle(struct xenoprof_writer *writer, uint64_t time,
                                 uint16_t pcpu, uint64_t idle);
enum xenoprof_status encode_closed(struct xenoprof_writer *writer,
                                   uint64_t time);
/* Numbers given out so far, which a file need not define. */
enum xenoprof_status encode_numbers(struct xenoprof_writer *writer);
/* Number of a text, defined in this block's file; 0 for NULL.  A text that
 * is too long is XENOPROF_INVALID. */
enum xenoprof_status encode_text(struct xenoprof_writer *writer,
                                 const char *text, uint32_t *ret);

/* Begin a block; the first of a file with all that is known. */
enum xenoprof_status writer_begin(struct xenoprof_writer *writer, bool file);

/* A writer on folder, which is there, with nothing read or written yet. */
enum xenoprof_status writer_new(struct xenoprof_handle *handle,
                                const char *folder,
                                struct xenoprof_writer **ret);
/* Make the next file durable in its folder, with its header. */
enum xenoprof_status writer_make_file(struct xenoprof_writer *writer);

#endif
