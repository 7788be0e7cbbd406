/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains by name.  Each distinct function is one frame, whatever its
 * addresses, and a chain is a frame and the chain from which it was called, so
 * chains of the same frames are one, whoever's they are.  All is bounded by the
 * distinct stacks by name.
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
enum frame_detail {
    FRAMES_BY_SYMBOL,
    FRAMES_BY_IMAGE,
    FRAMES_BY_LINE, /* as by symbol, where no line is known */
    FRAMES_BY_ADDRESS
};

struct frame_key {
    uint64_t address; /* if symbol is unknown, or by address; else 0 */
    uint32_t image;   /* in loaded.names; 0: unknown */
    uint32_t symbol;  /* in loaded.names; 0: unknown */
    uint32_t path;    /* of the source, in loaded.names; only by line or */
    uint32_t line;    /* ... by address; 0: not known */
    uint32_t comm;    /* of AREA_USER without an image, the thread's name, in
                         loaded.names; 0: unknown */
    uint8_t kind;     /* enum frame_kind */
    uint8_t mode;     /* enum xenoprof_mode; of FRAME_CODE, FRAME_UNKNOWN */
    uint8_t area;     /* enum area; then it has no address */
    uint8_t zero;
};

struct frame {
    struct frame_key key;
    uint64_t start; /* where its symbol begins, or its address; 0: unknown, */
    bool several;   /* or not the same in all domains, or of several by name */
};

/* Whether it stands for callers that are not known, and for no function. */
static inline bool frame_is_absent(const struct frame *frame)
{
    return frame->key.kind >= FRAME_TRUNCATED;
}

/* No two chains have the same frames. */
struct chain {
    struct {
        uint32_t parent; /* index of the chain of all frames but the leaf */
        uint32_t frame;  /* the leaf's number */
    } key;
    uint32_t count; /* of frames */
};

/* The chain of all cells that have no place: no frames.  It is its own parent,
 * and its frame is none. */
#define CHAIN_EMPTY 0u
#define FRAME_NONE  UINT32_MAX

struct stacks {
    struct table frames;       /* struct frame */
    struct table chains;       /* struct chain; parents before their children;
                                  found by their keys while they are built */
    struct named_place *named; /* which frame a place is, by its number */
    size_t named_count;
    struct table seen; /* which chain a call is in its other domains */
    struct {
        VECTOR(uint32_t);
    } path; /* room for the frames of any chain */
    enum frame_detail detail;
    struct areas areas;
};

/*
 * Give each cell its chain; those at no place have the empty one.  A sample
 * without a stack has its place as its only frame.  False if there is no
 * memory; stacks_free() in any case (all zero is free already).
 */
void stacks_build(struct stacks *stacks, struct loaded *loaded,
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

/* Numbers of a chain's frames, root first; good until the next call. */
static inline const uint32_t *chain_frames(const struct stacks *stacks,
                                           const struct chain *chain)
{
    for ( uint32_t i = chain->count; i-- > 0; )
    {
        stacks->path.items[i] = chain->key.frame;
        chain = stacks_chain(stacks, chain->key.parent);
    }
    return stacks->path.items;
}

#endif
