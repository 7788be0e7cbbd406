/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of all views: each is defined in its own file, view-NAME.c. */
#include "views.h"

static const struct view view_none;

#define VIEW(name, compare)                                                    \
    extern const struct view view_##name, view_##compare;
#include "views.def"
#undef VIEW

const struct view_row view_table[VIEWS] = {
#define VIEW(name, compare) {&view_##name, &view_##compare},
#include "views.def"
#undef VIEW
};
