/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph as an SVG file that needs nothing else: the picture is whole
 * without its script; with it, it zooms and searches.
 */
#ifndef XENOPROF_REPORT_PICTURE_FLAME_SVG_H
#define XENOPROF_REPORT_PICTURE_FLAME_SVG_H

#include "flame.h"

/* What a colour means. */
struct flame_key {
    unsigned int colour;
    unsigned int room; /* pixels to the next one */
    const char *text;  /* NULL behind the last */
};

#define FLAME_SVG_LINES 3u

struct flame_svg {
    const struct flame_look *look;
    const struct flame_key *keys;
    /* What stands on top: line 0 is the title, 1 and 2 are facts, all fit for
     * XML.  data is that of the look. */
    void (*line)(const void *data, const struct flame *flame, unsigned int line,
                 FILE *file);
    bool icicle; /* the root on top, calls grow downwards */
};

/* The tree has so many nodes.  False if there is no memory; writing errors are
 * seen at file. */
bool flame_svg_put(const struct flame_svg *svg, size_t nodes, FILE *file);

/* For lines: any text; how much was too small to be drawn, if anything. */
void flame_svg_text(const char *text, FILE *file);
void flame_svg_hidden(const struct flame *flame, FILE *file);

#endif
