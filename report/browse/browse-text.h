/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text that was printed, by its lines.
 */
#ifndef XENOPROF_REPORT_BROWSE_BROWSE_TEXT_H
#define XENOPROF_REPORT_BROWSE_BROWSE_TEXT_H

#include "base/vector.h"

struct browse_text {
    char *text;
    VECTOR(const char *); /* where lines begin; each ends at a newline */
};

/* Takes text over, which may be NULL; browse_text_free(). */
void browse_text_init(struct browse_text *lines, char *text);
void browse_text_free(struct browse_text *lines);

/* Returns the next line that is matched, or the one before, as
 * fold_rows_find() does. */
size_t browse_text_find(const struct browse_text *lines, size_t from, bool back,
                        bool (*match)(const void *context, const char *text),
                        const void *context);

/* Returns the line that begins with the largest percentage, the first one of
 * several; 0 if none does. */
size_t browse_text_hottest(const struct browse_text *lines);

#endif
