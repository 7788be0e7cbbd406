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

/* What is left out, being small. */
struct outline_rest {
    size_t count;  /* of nodes that are small and stand below one that is not */
    double after;  /* sums: of what is shown, */
    double before; /* and of the session that it is compared with */
};

/* What an outline asks of a tree.  Nodes are numbers. */
struct outline_source {
    uint32_t (*count)(const struct outline *outline, uint32_t node);
    uint32_t (*child)(const struct outline *outline, uint32_t node,
                      uint32_t index);
    /* Whether it is too small to be shown. */
    bool (*small)(const struct outline *outline, uint32_t node);
    /* Whether it is a frame; else it groups others. */
    bool (*is_frame)(const struct outline *outline, uint32_t node);
    /* malloc'ed. */
    char *(*text)(const struct outline *outline, uint32_t node);
    enum colour (*colour)(const struct outline *outline, uint32_t node);
    /* The columns of a node in outline->columns_width columns; blank if they
     * are those of above (a node; or the node itself: there is none). */
    void (*columns)(const struct outline *outline, uint32_t node,
                    uint32_t above);
    /* Adds a node that is not shown, with all below it. */
    void (*leave_out)(const struct outline *outline, uint32_t node,
                      struct outline_rest *rest);
    /* The columns of all that was left out. */
    void (*rest)(const struct outline *outline,
                 const struct outline_rest *rest);
};

struct outline {
    const struct outline_source *source;
    const void *data; /* the source's */
    const struct screen *screen;
    FILE *file;
    size_t width; /* of the screen; 0: without end */
    size_t columns_width;
    size_t max_depth;          /* frames; 0: all */
    struct outline_rest *rest; /* what is left out is added to it */
};

/* All below a node, which is not shown itself, but for what is small. */
void outline_print(const struct outline *outline, uint32_t node);

/* One node alone, by a caller who knows which lines stand before it; behind is
 * what follows its name.  above as in columns(). */
void outline_print_row(const struct outline *outline, uint32_t node,
                       uint32_t above, const char *const *lines, size_t count,
                       const char *behind);

/* A node is not shown, by a caller that prints parts of a tree. */
void outline_leave_out(const struct outline *outline, uint32_t node);

/* A last line with the sum of what was left out, if anything was.  Returns as
 * outline_print(). */
void outline_print_rest(const struct outline *outline, double limit);

#endif
