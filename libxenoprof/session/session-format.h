/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session's files as they are on disk; xenoprof-session(5) describes them.
 * All numbers are little endian.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_FORMAT_H
#define XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_FORMAT_H

#include <stdint.h>

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

#define BLOCK_MAGIC   0x4b425058u /* "XPBK" */
#define BLOCK_RAW_MAX (16u << 20)
/* Compression never makes a block longer than this. */
#define BLOCK_STORED_MAX (BLOCK_RAW_MAX + (BLOCK_RAW_MAX >> 7) + 1024)

struct session_block_header {
    uint32_t magic;
    uint32_t stored;        /* bytes of payload that follow */
    uint32_t raw;           /* bytes of items in it */
    uint32_t flags;         /* none defined: 0 */
    uint64_t sequence;      /* of the block in its session, from 0 */
    uint32_t payload_check; /* crc32 of the payload */
    uint32_t check;         /* crc32 of the bytes before it */
};

/*
 * The first byte of an item.  With bit 7 it is a sample, whose fields the other
 * bits list.  Else it is one of these, and the length of the rest follows, so
 * that a reader can skip unknown kinds, and fields that were added at the end.
 */
enum session_kind {
    KIND_STRING = 1,
    KIND_ATTRIBUTE = 2,
    KIND_DOMAIN = 3,
    KIND_PLACE = 4,
    KIND_STACK = 5,
    KIND_RING = 6,
    KIND_COUNTERS = 7,
    KIND_IDLE = 8,
    KIND_CLOSED = 9,
    KIND_NUMBERS = 10,
    KIND_RING_SUM = 11,
    KIND_SAMPLE = 0x80
};

/* A sample's first byte; absent fields are as in the sample before. */
#define SAMPLE_MODE   0x03u /* the mode itself */
#define SAMPLE_WHO    0x04u /* domain, vCPU, pCPU */
#define SAMPLE_STACK  0x08u /* stack; else the sample has none */
#define SAMPLE_PLACE  0x10u /* place; else the leaf of its stack, if any */
#define SAMPLE_PERIOD 0x20u
#define SAMPLE_MARKS  0x40u /* marks, weight */

#define STRING_MAX 65535u    /* bytes */
#define STACK_MAX  1024u     /* places */
#define NUMBER_MAX 0xffffffu /* of a string, place or stack */

#endif
