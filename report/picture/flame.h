/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree laid out for a picture: frames side by side, each as long as it
 * weighs, in ns or in whatever else its look counts.
 */
#ifndef XENOPROF_REPORT_PICTURE_FLAME_H
#define XENOPROF_REPORT_PICTURE_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * What a picture is of.  Nodes have numbers; 0 is the root.  To add one: the
 * first three for a layout, all for flame-svg.h.
 */
struct flame_look {
    const void *data; /* goes to all of them */
    uint32_t (*children)(const void *data, uint32_t node);
    uint32_t (*child)(const void *data, uint32_t node, uint32_t index);
    /* Not less than those of its children together. */
    uint64_t (*length)(const void *data, uint32_t node);
    /* As it came; malloc'ed, NULL if there is no memory. */
    char *(*name)(const void *data, uint32_t node);
    /* Class of the style: "c" and this. */
    unsigned int (*colour)(const void *data, uint32_t node);
    /* One line, without its end, fit for XML. */
    void (*facts)(const void *data, uint32_t node, FILE *file);
};

struct flame_frame {
    uint32_t node;
    uint32_t depth;
    uint64_t start; /* from the left */
    uint64_t length;
};

struct flame {
    struct flame_frame *frames; /* each before those that it called */
    size_t count, room;
    uint32_t rows;   /* levels, the root's included */
    uint64_t total;  /* length of the root */
    size_t narrow;   /* frames left out with all that they called */
    uint64_t hidden; /* length of these */
    uint64_t least;  /* length below which a frame is left out */
};

/* Frames shorter than the part-th part of all are left out; there are nodes
 * many of them.  False if there is no memory; flame_free() in any case. */
bool flame_build(struct flame *flame, const struct flame_look *look,
                 size_t nodes, uint64_t part);
void flame_free(struct flame *flame);

#endif
