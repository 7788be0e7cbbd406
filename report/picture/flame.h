/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree laid out for a picture: frames side by side, each as long as its time,
 * or whatever else its look counts.
 */
#ifndef XENOPROF_REPORT_PICTURE_FLAME_H
#define XENOPROF_REPORT_PICTURE_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/vector.h"

/*
 * How a picture reads its tree, which is data.  Nodes have numbers; 0 is the
 * root.  A walk needs the first two, a layout the third, flame-svg.h all.
 */
struct flame_look {
    uint32_t (*children)(const void *data, uint32_t node);
    uint32_t (*child)(const void *data, uint32_t node, uint32_t index);
    /* At least the sum of its children's. */
    uint64_t (*length)(const void *data, uint32_t node);
    /* Any text; malloc'ed. */
    char *(*name)(const void *data, uint32_t node);
    /* Class in the style sheet: "c" and this. */
    unsigned int (*colour)(const void *data, uint32_t node);
    /* One line without its end, fit for XML. */
    void (*details)(const void *data, uint32_t node, FILE *file);
    /* Whether it stands for callers that are not known: those below it are
     * drawn in its place, torn.  NULL: none does. */
    bool (*absent)(const void *data, uint32_t node);
};

struct flame_frame {
    uint32_t node;
    uint32_t depth;
    uint64_t start; /* from the left */
    uint64_t length;
    bool torn; /* its callers are not known */
};

struct flame {
    VECTOR(struct flame_frame); /* each before its children */
    uint32_t rows;              /* levels, the root's included */
    uint64_t total;             /* length of the root */
    size_t narrow;              /* frames left out, with all below them */
    uint64_t hidden;            /* their length */
    uint64_t least;             /* length below which a frame is left out */
};

/* Lay out a tree of so many nodes without frames shorter than 1/part of the
 * root.  flame_free() in any case. */
void flame_build(struct flame *flame, const struct flame_look *look,
                 const void *data, size_t nodes, uint64_t part);
void flame_free(struct flame *flame);

#endif
