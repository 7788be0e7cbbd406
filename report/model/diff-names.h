/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One set of names for two sessions.
 */
#ifndef XENOPROF_REPORT_MODEL_DIFF_NAMES_H
#define XENOPROF_REPORT_MODEL_DIFF_NAMES_H

#include "diff.h"
#include "frame-text.h"

void diff_names_init(struct diff_names *names);
void diff_names_free(struct diff_names *names);

/* The number of a side's frame among both sides'; false if there is no
 * memory. */
bool diff_names_frame(struct diff_names *names, const struct frame_texts *texts,
                      uint32_t frame, uint32_t *ret);

/* The number of what a label's value is called.  A domain goes by its name
 * alone if it has one: the number is another at each start. */
bool diff_names_label(struct diff_names *names, const struct loaded *loaded,
                      enum label label, uint64_t value, uint32_t *ret);

#endif
