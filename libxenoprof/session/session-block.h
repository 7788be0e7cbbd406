/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session's files as they are on disk: the headers of a file and of a block,
 * in little endian; xenoprof-session(5) describes them.
 *
 * A block is a header and two sections (block-section.h), each with a checksum:
 * what is defined and counted, and samples.  Who looks for a time reads the
 * first section of all blocks of a file, and the second of those whose header
 * says that they have that time.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_BLOCK_H
#define XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_BLOCK_H

#include "base/buffer.h"
#include "block-section.h"

#define SESSION_MAGIC      "XENOPROF"
#define SESSION_MAGIC_SIZE 8u
#define SESSION_VERSION    2u
#define SESSION_FILES_MAX  1000000u /* file numbers are below this */

struct session_file_header {
    char magic[SESSION_MAGIC_SIZE];
    uint32_t version;
    uint32_t number;  /* of the file in its session, from 0 */
    uint64_t session; /* the same in all files of a session */
    uint32_t reserved;
    uint32_t check; /* crc32 of the bytes before it */
};

#define STRING_MAX 65535u /* bytes */
#define STACK_MAX  1024u  /* places */

/* Returns the checksum of size bytes. */
uint32_t session_check(const void *bytes, size_t size);

/* Fill in a file's header, with its checksum. */
void file_header_init(struct session_file_header *ret, uint32_t number,
                      uint64_t session);
/* Returns whether magic and checksum are right. */
bool file_header_sound(const struct session_file_header *header);

#define SESSION_BLOCK_MAGIC 0x32425058u /* "XPB2" */
#define SESSION_SECTION_MAX (16u << 20)
#define SESSION_SAMPLES_MAX COLUMN_ROWS_MAX

/* Its accounts, counters and idle times are absolute. */
#define SESSION_BLOCK_ABSOLUTE 1u
/* Its tables say what its samples stand for. */
#define SESSION_BLOCK_TICKS 2u

struct session_block_header {
    uint32_t magic;
    uint32_t flags;
    uint64_t sequence;     /* of the block in its session, from 0 */
    uint32_t tables_size;  /* bytes of the first section */
    uint32_t samples_size; /* bytes of the second */
    uint32_t samples;      /* in it */
    uint32_t tables_check; /* crc32 */
    uint64_t first, last;  /* Xen's time of its samples; without any: of what it
                              counts; 0: not known */
    uint64_t before;       /* samples of the session before this block */
    uint32_t samples_check;
    uint32_t check; /* crc32 of the bytes before it */
};

/* Fills in magic, sizes and checksums. */
void session_block_seal(struct session_block_header *header,
                        const struct buffer *tables,
                        const struct buffer *samples);
/* Returns whether magic, checksum and sizes are right. */
bool session_block_sound(const struct session_block_header *header);

/* Returns the bytes behind a sound header. */
static inline uint64_t session_block_size(
    const struct session_block_header *header)
{
    return (uint64_t)header->tables_size + header->samples_size;
}

/* Whether these bytes are the section that the header is of. */
bool block_tables_are_sound(const struct session_block_header *header,
                            const void *bytes);
bool block_samples_are_sound(const struct session_block_header *header,
                             const void *bytes);

#endif
