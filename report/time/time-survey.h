/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a session for its accounts alone, before its samples are counted: how
 * long each owner of time ran in each second, and how many samples there are to
 * say where in it.
 */
#ifndef XENOPROF_REPORT_TIME_TIME_SURVEY_H
#define XENOPROF_REPORT_TIME_TIME_SURVEY_H

#include "account-rows.h"
#include "owner-of.h"
#include "slots.h"
#include "spooled-times.h"

#include <libxenoprof.h>

/* What a survey is of. */
struct time_survey {
    struct slots slots;
    struct time_range range;
    struct clocks clocks;
    struct time_span span; /* of what is wanted, once it is known */
    bool span_known;
    uint64_t first, last;       /* times of what there is */
    struct time_span accounted; /* of these, what pCPUs' account is of */
    bool vcpus;                 /* there is an account of vCPUs */
    bool pcpus;                 /* and one of pCPUs */
    bool events;                /* some samples are not of time */
    bool old;       /* accounts that come now are only what the next ones are
                       compared with; to be set */
    uint64_t begin; /* the last time of such; 0: there were none */
    uint64_t end;   /* of what was read: a position */
    struct {
        VECTOR(struct owner_of);
    } whos;
    uint32_t file;
    struct account_rows rows;
    struct spooled_times spooled;
};

/* clocks: what is known of them by now.  Each returns false if there is no
 * memory; survey_free() in any case. */
void survey_init(struct time_survey *survey, const struct time_range *range,
                 const struct clocks *clocks, bool by_pcpu);
void survey_free(struct time_survey *survey);
/* Takes an item of a session that is read with xenoprof_session_who_only(),
 * and without threads; without pCPUs, too, unless it is by these.  Sums are as
 * good as samples, if they are right. */
void survey_item(struct time_survey *survey, const struct xenoprof_item *item);
/* All was taken. */
void survey_end(struct time_survey *survey);

#endif
