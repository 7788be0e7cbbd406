/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How each rule of verdict-rules.def is measured.
 */
#ifndef XENOPROF_REPORT_WHY_VERDICT_MEASURES_H
#define XENOPROF_REPORT_WHY_VERDICT_MEASURES_H

#include "findings.h"
#include "verdict-items.h"
#include "report/model/frame-text.h"

/* What measures look at. */
struct measured {
    struct verdict_items *items; /* what was found */
    const struct loaded *loaded;
    const struct stacks *stacks; /* NULL: nothing is known of functions; then */
    struct findings findings;    /* this, and */
    struct frame_texts texts;    /* this are empty */
    uint64_t time_all;           /* of all cells */
};

/* measure_NAME() looks, and adds. */
#define VERDICT(name, rank, least, sentence, command)                          \
    void measure_##name(struct measured *measured,                             \
                        const struct verdict_rule *rule);
#include "verdict-rules.def"
#undef VERDICT

#endif
