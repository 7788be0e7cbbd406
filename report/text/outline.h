/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree on a screen: a line for each node, with columns of numbers, and names
 * behind lines that show what belongs to what.
 *
 *   percent     self  mode
 *    54.02%           kernel  do_syscall_64
 *                     kernel  ksys_read
 *    50.10%    2.00%  kernel  vfs_read
 *    30.10%   30.10%  kernel  ├ read_zero
 *    18.00%   18.00%  kernel  └ rw_verify_area
 *
 * It goes to the right only where there are several ways to go.  What has the
 * numbers of the line above does not repeat them.
 */
#ifndef XENOPROF_REPORT_TEXT_OUTLINE_H
#define XENOPROF_REPORT_TEXT_OUTLINE_H

#include "screen.h"

#include <stddef.h>
#include <stdint.h>

struct outline;

/* What an outline asks of a tree.  Nodes are numbers. */
struct outline_source {
    uint32_t (*count)(const struct outline *outline, uint32_t node);
    uint32_t (*child)(const struct outline *outline, uint32_t node,
                      uint32_t index);
    /* Whether it is too small to be shown. */
    bool (*small)(const struct outline *outline, uint32_t node);
    /* Whether it is a frame; else it groups others. */
    bool (*is_frame)(const struct outline *outline, uint32_t node);
    /* malloc'ed, NULL if there is no memory. */
    char *(*text)(const struct outline *outline, uint32_t node);
    enum colour (*colour)(const struct outline *outline, uint32_t node);
    /* The columns of a node in outline->columns_width columns; blank if they
     * are those of above (a node; or the node itself: there is none). */
    void (*columns)(const struct outline *outline, uint32_t node,
                    uint32_t above);
    /* The columns of what is hidden below a node. */
    void (*hidden)(const struct outline *outline, uint32_t node,
                   const uint32_t *hidden, size_t count);
};

struct outline {
    const struct outline_source *source;
    const void *data; /* the source's */
    const struct screen *screen;
    FILE *file;
    size_t width; /* of the screen; 0: without end */
    size_t columns_width;
    size_t max_depth; /* frames; 0: all */
};

/* All below a node, which is not shown itself.  False if there is no
 * memory. */
bool outline_print(const struct outline *outline, uint32_t node);

/* A line at the left for so many children of a node that are not shown, if
 * there are any.  Returns as outline_print(). */
bool outline_print_more(const struct outline *outline, uint32_t node,
                        const uint32_t *hidden, size_t count);

#endif
