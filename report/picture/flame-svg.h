/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph as an SVG file that needs no other file.  The picture is whole
 * without its script, which adds zoom and search.
 */
#ifndef XENOPROF_REPORT_PICTURE_FLAME_SVG_H
#define XENOPROF_REPORT_PICTURE_FLAME_SVG_H

#include "flame.h"

/* What a colour means. */
struct flame_key {
    unsigned int colour;
    unsigned int room; /* pixels to the next key */
    const char *text;  /* NULL after the last key */
};

#define FLAME_SVG_LINES 5u

struct flame_svg {
    struct flame_look look;
    const struct flame_key *keys;
    /* The lines on top: 0 is the title, 1 and 2 are about the session,
     * 3 and 4 say what should be looked at first; fit for
     * XML. */
    void (*line)(const void *data, const struct flame *flame, unsigned int line,
                 FILE *file);
};

/* Draw a tree of so many nodes.  icicle: the root is on top, and calls grow
 * downwards.  The caller checks file for errors. */
void flame_svg_put(const struct flame_svg *svg, const void *data, size_t nodes,
                   bool icicle, FILE *file);

/* For line(): any text; how much was too small to be drawn, if anything. */
void flame_svg_text(const char *text, FILE *file);
void flame_svg_hidden(const struct flame *flame, FILE *file);

#endif
