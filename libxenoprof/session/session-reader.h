/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside a session's reader: its files, their blocks, the items of a block.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_READER_H
#define XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_READER_H

#include "base/buffer.h"
#include "session-block.h"
#include "block-items.h"
#include "libxenoprof/handle.h"
#include "session-files.h"

#define SEARCH_CHUNK 65536u

/*
 * What it takes to read a session is counted in steps of about a nanosecond:
 * so many for each item, those of its rows (block-items.c), and some for each
 * byte that is looked at or block that is passed over.
 */
#define STEPS_ITEM  24u
#define STEPS_OTHER 128u
#define STEPS_BYTE  2u
/*
 * So many are allowed, and more for each byte in blocks.  xenoprofd's sessions
 * take 8 to 16 a byte, and 20 if they have nearly nothing but times
 * (bench/session-size prints it); a few bytes that take an hour are an attack.
 */
#define STEPS_FREE  (1ull << 30)
#define STEPS_TIMES 24u

/* Which samples are wanted: from <= time < to. */
struct session_span {
    bool given;
    bool judged; /* whether the current file is wanted */
    uint64_t from, to;
    uint64_t near_to;  /* what is not samples is wanted up to there */
    uint64_t left_out; /* samples that were not read */
};

struct xenoprof_session {
    struct xenoprof_handle *handle;
    char *folder; /* NULL: one file only */
    char *path;   /* of the current file */
    struct session_files files;
    size_t index;    /* of the current file in files */
    int fd;          /* current file, or -1 */
    uint64_t offset; /* of the next block in it */
    uint64_t size;
    uint64_t torn;
    uint64_t steps, steps_allowed; /* so far */
    uint64_t chunk_at;             /* what a search for a block read last: */
    size_t chunk_size;             /* 0: nothing */
    uint8_t chunk[SEARCH_CHUNK];
    char *complaint;   /* on the first file's header, still to be reported */
    uint64_t session;  /* of the first sound header; 0: not known yet */
    uint64_t sequence; /* expected next, if sequence_known */
    bool sequence_known;
    uint64_t blocks; /* whole blocks of the current file so far */
    struct buffer payload;
    struct reader_tables read;
    struct block_items block_items;
    struct read_ahead *read_ahead; /* NULL: no threads */
    const uint8_t *samples;  /* the block's second section, which is sound;
                               NULL: nobody read it ahead */
    uint64_t absolute_at;    /* the absolute block that was looked at last */
    struct buffer absolute;  /* its tables */
    uint64_t samples_before; /* of the session before this file, as it says */
    uint64_t samples_so_far; /* with those of the last block */
    struct session_span span;
    bool absolute_now; /* the current block is absolute */
    bool sums;         /* they may come in place of samples */
    bool summed;       /* they do: of the current block */
    bool passed;       /* the samples of the current block are not read */
    bool begun;        /* an item was asked for */
    bool ends;         /* what comes after this is not there: */
    uint64_t end;
    uint64_t since; /* samples before this are not wanted */
};

/*
 * Reads the next whole block: its items come next.  Returns XENOPROF_OK;
 * XENOPROF_END if there is none (yet); XENOPROF_DAMAGED if something was
 * skipped, which the message names; or XENOPROF_SYSTEM, _NEWER or _NO_MEMORY.
 */
enum xenoprof_status load_block(struct xenoprof_session *session);

/* Open the index-th of files, and check its header. */
enum xenoprof_status load_file(struct xenoprof_session *session, size_t index);
/* The same with the file that has this position, if it is another than the one
 * that is read; samples before it are not wanted. */
enum xenoprof_status load_since(struct xenoprof_session *session,
                                uint64_t position);
/* Ask how large the current file is now. */
enum xenoprof_status load_measure(struct xenoprof_session *session);

/* Ends threads that read ahead (read-ahead.h); read_ahead may be NULL. */
void read_ahead_stop(struct read_ahead *read_ahead);

#endif
