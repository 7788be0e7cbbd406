/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A batch: requests and answers in memory that xenoprofd and one walker share.
 *
 *   xenoprofd                               walker
 *     head, once, before it is made
 *                                       <-  WORD_READY (process-words.h)
 *     requests, from BATCH_BEGIN on
 *     struct batch_word on the socket   ->  walks, and writes the answers at
 *                                           batch_answers_at() of that word
 *     copies the answers out, once,     <-  struct batch_word on the socket
 *     and checks its copy
 *
 * A batch is away between the two words.  Meanwhile the daemon touches nothing
 * in the area, and in between an honest walker does not.  A walker that a guest
 * took over may write at any time, so the daemon reads no byte of the area
 * twice, uses nothing before it has copied and checked it, and never reads its
 * own requests back.  The area's size is sealed.
 *
 * Everything in it begins at a multiple of 8.
 */
#ifndef XENOPROF_DAEMON_PARSER_BATCH_H
#define XENOPROF_DAEMON_PARSER_BATCH_H

#include "guest/unwind.h"

#define BATCH_SIZE  (1u << 20)
#define BATCH_BEGIN 64u

/* At 0; what does not change from batch to batch. */
struct batch_head {
    uint64_t base;          /* where the guest has its kernel */
    uint8_t pv;             /* 1: it is a PV guest */
    uint8_t frame_pointers; /* 1: no table, but its code makes them */
    uint8_t reserved[6];
};

struct batch_word {
    uint32_t magic;
    uint32_t bytes; /* of requests, or of answers */
};

#define BATCH_GO   0x4f475058u
#define BATCH_ANEW 0x4e415058u /* the same; what was named counts as new */
#define BATCH_DONE 0x4e445058u

/* Returns where the answers to so many bytes of requests begin. */
static inline uint32_t batch_answers_at(uint32_t requests)
{
    return (BATCH_BEGIN + requests + 63) & ~63u;
}

enum batch_kind { BATCH_STACK = 1, BATCH_NAME };

struct batch_request {
    uint32_t kind;
    uint32_t size;    /* with this, and all that follows */
    uint64_t address; /* to be named; of a stack: ip */
};

/* The bytes of both windows follow, each filled up to a multiple of 8. */
struct batch_stack {
    struct batch_request head;
    struct xenoprof_registers registers;
    uint64_t addresses[UNWIND_WINDOWS];
    uint32_t lengths[UNWIND_WINDOWS];
    uint8_t bits32;
    uint8_t kernel;
    uint8_t reserved[6];
};

/* The answers begin with this.  A struct batch_frames for each stack follows,
 * in the order of the requests; then the names. */
struct batch_answers {
    uint32_t stacks;
    uint32_t names;
};

/* count addresses follow, leaf first. */
struct batch_frames {
    uint32_t count;
    uint32_t end;      /* enum unwind_end */
    uint64_t exact[2]; /* a bit for each frame */
};

/* The texts follow, each with its zero, the whole filled up to a multiple
 * of 8. */
struct batch_name {
    uint64_t address;
    uint64_t start;
    uint64_t end;
    uint32_t name_size; /* with the zero; 0: it has no name */
    uint32_t module_size;
};

#define BATCH_TEXT_MAX   255u
#define BATCH_MODULE_MAX 63u

/* The most bytes of one answer. */
#define BATCH_FRAMES_BYTES                                                     \
    (sizeof(struct batch_frames) + GUEST_FRAMES_MAX * sizeof(uint64_t))
#define BATCH_NAME_BYTES                                                       \
    (sizeof(struct batch_name) + BATCH_TEXT_MAX + 1 + BATCH_MODULE_MAX + 1)

#endif
