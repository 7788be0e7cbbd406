/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What --export=perfetto has beside samples: their stacks, and tracks of what
 * the session says at some time, and of counters of how long vCPUs ran and
 * waited, and of what was lost.
 */
#ifndef XENOPROF_REPORT_EXPORT_PERFETTO_TRACKS_H
#define XENOPROF_REPORT_EXPORT_PERFETTO_TRACKS_H

#include "export-walk.h"
#include "perfetto-fields.h"

#include "base/buffer.h"
#include "base/names.h"

/* Packets on their way into a file. */
struct perfetto_out {
    FILE *file;
    struct buffer packets, packet, part, inner; /* each is part of the former */
};

/* Numbers of tracks: of each kind so many as there may be. */
#define PERFETTO_HOST           1u /* has all but processes below it */
#define PERFETTO_LOST_TRACK     2u
#define PERFETTO_PCPU_TRACKS    (1ull << 32)
#define PERFETTO_PROCESS_TRACKS (2ull << 32)
#define PERFETTO_THREAD_TRACKS  (3ull << 32)
#define PERFETTO_EVENT_TRACKS   (4ull << 32) /* a kind of events each */
#define PERFETTO_COUNTER_TRACKS (5ull << 32)

/* What was put into packet becomes one. */
void perfetto_put_packet(struct perfetto_out *out,
                         enum perfetto_sequence_flag flag);
/* All that was put goes to the file; out is empty. */
void perfetto_end(struct perfetto_out *out);

/* A track of that id, below parent; 0: below none. */
void perfetto_put_track(struct perfetto_out *out, uint64_t id, uint64_t parent,
                        const char *name);
/* An event of a track without a value; name NULL: it ends what began. */
void perfetto_put_event(struct perfetto_out *out, uint64_t track,
                        enum perfetto_event_type type, uint64_t time,
                        const char *name);

/* Put what is not samples. */
void perfetto_put_told(struct perfetto_out *out,
                       const struct export_walk *walk);

/* Functions, frames and stacks are put once, and named by their numbers. */
struct perfetto_stacks {
    const struct export_walk *walk;
    struct perfetto_out *out;
    struct names images, sources; /* by the numbers that the trace has */
    bool *put;                    /* which of the walk's stacks were */
    struct {
        VECTOR(uint32_t);
    } path; /* frames of a stack, from the root */
};

/* perfetto_stacks_free() in any case; walk and out are the caller's. */
void perfetto_stacks_init(struct perfetto_stacks *stacks,
                          const struct export_walk *walk,
                          struct perfetto_out *out);
void perfetto_stacks_free(struct perfetto_stacks *stacks);

/* Puts all functions and frames, before any stack. */
void perfetto_put_frames(struct perfetto_stacks *stacks);
/* Puts a stack into the packet of the first sample that has it; its number is
 * the walk's and 1. */
void perfetto_put_stack(struct perfetto_stacks *stacks, uint32_t stack);

#endif
