/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples by who had them, for formats that show a track for each: of the type
 * that is shown, and of a track in the order of time.
 */
#ifndef XENOPROF_REPORT_EXPORT_EXPORT_TRACKS_H
#define XENOPROF_REPORT_EXPORT_EXPORT_TRACKS_H

#include "export-walk.h"

#define TRACK_NO_DOMAIN UINT32_MAX

struct track_key {
    uint32_t domain; /* index into loaded.domains; or TRACK_NO_DOMAIN */
    uint32_t cpu;    /* its vCPU, or pCPU; CELL_SEVERAL: not known */
};

struct track {
    struct track_key key;
    uint64_t amount;     /* of all its samples */
    size_t first, count; /* its samples, in export_tracks.numbers */
};

enum track_kind { TRACKS_OF_VCPUS, TRACKS_OF_PCPUS };

/* Returns whose track has a cell's samples. */
struct track_key track_key_of(const struct cell *cell, enum track_kind kind);

struct export_tracks {
    struct export_walk *walk;
    VECTOR(struct track); /* by domain and vCPU, or by pCPU */
    uint32_t *numbers;    /* the walk's, by track, of what is there */
    size_t next;          /* of the track that is walked */
    bool no_cells;        /* who walks it reads none of its samples' cells */
};

/* tracks_free() in any case. */
void tracks_init(struct export_tracks *tracks, struct export_walk *walk,
                 enum track_kind kind);
void tracks_free(struct export_tracks *tracks);

/* Puts the track's next sample into *ret.  Returns false after the last; it
 * then begins anew.  One track is walked to its end before another is. */
bool track_next(struct export_tracks *tracks, const struct track *track,
                struct walk_sample *ret);

/* Returns "web v0", "pCPU 0", or the domain's name alone; malloc'ed. */
char *track_name(const struct export_tracks *tracks, const struct track *track);

#endif
