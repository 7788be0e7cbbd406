/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph as an SVG file that needs nothing else: the picture is whole
 * without its script; with it, it zooms and searches.
 */
#ifndef XENOPROF_REPORT_FLAME_SVG_H
#define XENOPROF_REPORT_FLAME_SVG_H

#include "flame.h"
#include "frame-text.h"

struct flame_svg {
    const struct report *report;
    const struct flame *flame;
    const struct frame_texts *texts;
    bool icicle; /* the root on top, calls grow downwards */
};

/* Narrower frames than a tenth of a pixel are not drawn: a part of all. */
#define FLAME_SVG_PART 11800u

/* False if there is no memory; writing errors are seen at file. */
bool flame_svg_put(const struct flame_svg *svg, FILE *file);

#endif
