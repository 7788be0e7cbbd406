/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a report is laid out as text.
 */
#ifndef XENOPROF_REPORT_TEXT_LAYOUT_H
#define XENOPROF_REPORT_TEXT_LAYOUT_H

#include "screen.h"

struct layout {
    struct screen screen;
    size_t width;  /* columns; 0: nothing is cut */
    size_t height; /* lines of one screen */
    bool header;   /* all facts of the session come first */
    bool no_header;
    bool no_summary;
};

#endif
