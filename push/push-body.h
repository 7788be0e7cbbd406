/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bodies of requests: a window's series, with their labels, as each engine
 * takes them.
 */
#ifndef XENOPROF_PUSH_PUSH_BODY_H
#define XENOPROF_PUSH_PUSH_BODY_H

#include <stdio.h>

#include "window.h"

#define PUSH_LABELS_MAX 32u

struct push_label {
    char name[64], value[256];
};

struct push_labels {
    struct push_label items[PUSH_LABELS_MAX];
    size_t count;
};

/* Sets a label; one of that name is replaced.  Returns false if the name is
 * none ([A-Za-z_][A-Za-z0-9_]*), the value is too long, or there are too many.
 */
bool push_label_set(struct push_labels *labels, const char *name,
                    const char *value);

/* Writes the body, labels beside those of the window's series. */
typedef void body_put(const struct window *window,
                      const struct push_labels *labels, FILE *file);

body_put body_pyroscope, body_parca;
body_put body_whole; /* of a window's only series, as it is */

/* Makes a body, compressed if it is asked for.  Returns false if there is no
 * memory. */
bool push_body(body_put *put, bool gzip, const struct window *window,
               const struct push_labels *labels, struct buffer *ret);

/* Appends what gzip makes of bytes.  Returns false if there is no memory. */
bool push_compress(struct buffer *ret, void *bytes, size_t size);

#endif
