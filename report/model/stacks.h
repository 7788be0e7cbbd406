/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains by name.  A session has stacks of places; here each distinct
 * function is one frame, whatever its addresses, and stacks of the same frames
 * are one chain, root first, whoever's they are.  All is bounded by the
 * distinct stacks.
 *
 *   stacks_build()   loaded session -> frames and chains; cell.chain
 *   tree.h           chains merged into a tree
 *   frame-text.h     what a frame is called
 */
#ifndef XENOPROF_REPORT_MODEL_STACKS_H
#define XENOPROF_REPORT_MODEL_STACKS_H

#include "areas.h"
#include "naming.h"
#include "loaded.h"

enum frame_kind {
    FRAME_CODE = 0,  /* image, symbol or address */
    FRAME_UNKNOWN,   /* code of which only the mode is known */
    FRAME_TRUNCATED, /* instead of callers that could not be found */
    FRAME_MOVED,     /* instead of a guest that was not looked at in time */
    FRAME_GUEST,     /* instead of one that could not be looked at */
};

/* What makes two places one frame. */
enum frame_detail { FRAMES_BY_SYMBOL, FRAMES_BY_IMAGE, FRAMES_BY_ADDRESS };

struct frame_key {
    uint64_t address; /* if symbol is unknown, or by address; else 0 */
    uint32_t image;   /* in loaded.names; 0: unknown */
    uint32_t symbol;  /* in loaded.names; 0: unknown */
    uint8_t kind;     /* enum frame_kind */
    uint8_t mode;     /* enum xenoprof_mode; of FRAME_CODE, FRAME_UNKNOWN */
    uint8_t area;     /* enum area; then it has no address */
    uint8_t zero[5];
};

struct frame {
    struct frame_key key;
    uint64_t start; /* where its symbol begins, or its address; 0: unknown, */
    bool several;   /* or not the same in all domains, or of several by name */
};

/* No two chains have the same frames. */
struct chain {
    struct {
        uint64_t hash; /* of its frames */
        uint64_t nth;  /* of those with that hash */
    } key;
    uint32_t first; /* into stacks.numbers */
    uint32_t count;
};

/* The chain of all cells that have no place: no frames. */
#define CHAIN_EMPTY 0u

struct stacks {
    struct table frames;       /* struct frame */
    struct table chains;       /* struct chain */
    struct named_place *named; /* which frame a place is, by its number */
    size_t named_count;
    struct table seen; /* which chain a stack is in a domain */
    struct {
        VECTOR(uint32_t);
    } numbers; /* of frames: chain after chain, each root first */
    enum frame_detail detail;
    struct areas areas;
};

/*
 * Give each cell its chain; before time is accounted for, since what that
 * adds has the empty one.  A sample without a stack has its place as its only
 * frame.  False if there is no memory; stacks_free() in any case (all zero is
 * free already).
 */
bool stacks_build(struct stacks *stacks, struct loaded *loaded,
                  const struct kernels *kernels, enum frame_detail detail);
void stacks_free(struct stacks *stacks);

static inline const struct chain *stacks_chain(const struct stacks *stacks,
                                               uint32_t index)
{
    return table_at(&stacks->chains, index);
}

static inline const struct frame *stacks_frame(const struct stacks *stacks,
                                               uint32_t index)
{
    return table_at(&stacks->frames, index);
}

/* Numbers of a chain's frames, root first. */
static inline const uint32_t *chain_frames(const struct stacks *stacks,
                                           const struct chain *chain)
{
    return stacks->numbers.items + chain->first;
}

#endif
