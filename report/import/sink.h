/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the readers of other tools' files put what they read: it becomes a
 * session.  A failure is noted once, with a sentence, and from then on nothing
 * more is written: a reader looks at failure->status when it has read a part.
 *
 * Xen's account of time is nowhere in such files, so samples are never of
 * XENOPROF_TYPE_TIME, which is what vCPUs ran by it: shares are of what samples
 * stand for.
 */
#ifndef XENOPROF_REPORT_IMPORT_SINK_H
#define XENOPROF_REPORT_IMPORT_SINK_H

#include "base/failure.h"

#include <libxenoprof.h>
#include <stdbool.h>

/* The time of what has none, and the earliest that a session can have. */
#define SINK_START XENOPROF_SECOND

/* Samples that a reader makes of one number of an aggregated profile. */
#define SINK_SPLIT_MAX 1024u

struct sink;

/* file: what is read, for sentences.  Both stay the caller's, and so does
 * failure. */
struct sink *sink_open(const char *folder, const char *file,
                       struct failure *failure);
/* The session is whole, and has this end.  Frees the sink, in any case. */
void sink_close(struct sink *sink, uint64_t time);

void sink_attribute(struct sink *sink, uint64_t time, const char *key,
                    const char *value);
/* At this time it was so many ns since 1970. */
void sink_utc(struct sink *sink, uint64_t time, uint64_t utc);

/* So many samples more were lost. */
void sink_lost(struct sink *sink, uint64_t samples);

/* A domain as a file names it; all zeroes beside the name: nothing more is
 * known. */
struct sink_domain {
    const char *name;
    bool numbered;
    uint16_t number; /* that it had */
    uint8_t uuid[16];
};
/* Returns the number of the domain, which is its own if no other has that; uuid
 * 0: one is made of the name. */
uint16_t sink_domain(struct sink *sink, const struct sink_domain *domain);
/* The same of a domain of which the name is known. */
uint16_t sink_domain_called(struct sink *sink, const char *name);
/* Returns the number of the type with this name, declared at its first use. */
uint16_t sink_event(struct sink *sink, const char *name, const char *unit,
                    uint64_t select, uint64_t period);

/* Returns the number of a place, good until sink_epoch() is another one, which
 * it is after a sample only.  Names that are too long are cut. */
uint32_t sink_place(struct sink *sink, const struct xenoprof_place *place);
uint32_t sink_epoch(const struct sink *sink);

/* Of an event's type, with its count.  Leaf first; beyond what a session holds
 * the root's end is cut. */
void sink_sample(struct sink *sink, struct xenoprof_stored *sample,
                 const uint32_t *places, size_t count);

/* So much was seen in so many samples (0: not known) that are alike: they
 * become as many, SINK_SPLIT_MAX at most, and a million in all, or as few as
 * hold it, and have it to the unit. */
struct sink_amount {
    uint64_t amount, samples;
};
void sink_samples(struct sink *sink, const struct xenoprof_stored *sample,
                  const uint32_t *places, size_t count,
                  const struct sink_amount *amount);

#endif
