/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside a session's reader: files, blocks in them, items in those.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_READER_H
#define XENOPROF_LIBXENOPROF_SESSION_READER_H

#include <zstd.h>

#include "base/buffer.h"
#include "handle.h"
#include "session-files.h"
#include "session-format.h"
#include "session-tables.h"

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
    char *complaint;   /* on the first file's header; not told yet */
    uint64_t session;  /* of the first file's header; 0: not known yet */
    uint64_t sequence; /* expected next; known says whether it is */
    bool sequence_known;
    uint64_t blocks;                 /* whole ones, in the current file */
    bool numbers;                    /* the file said which numbers are taken */
    uint32_t last_place, last_stack; /* ... these and all below */
    struct buffer payload;
    struct buffer raw;
    struct cursor items; /* what is left of the current block */
    struct xenoprof_stored before;
    uint64_t before_address;
    uint32_t before_stack; /* defined last */
    struct session_tables tables;
    ZSTD_DCtx *zstd;
};

/* Next item of the current block; END if there is none left, INVALID if
 * the block's items make no sense. */
enum xenoprof_status decode_item(struct xenoprof_session *session,
                                 struct xenoprof_item *ret);
/* Forget what blocks before this one said; file: the whole file before. */
void decode_begin(struct xenoprof_session *session, bool file);

/*
 * Load the next whole block into items.  OK; END: none is there (yet);
 * DAMAGED: something was passed over, said at the handle; SYSTEM, NEWER,
 * NO_MEMORY.
 */
enum xenoprof_status load_block(struct xenoprof_session *session);

/* Open the file of that index in files, and look at its header. */
enum xenoprof_status load_file(struct xenoprof_session *session, size_t index);

#endif
