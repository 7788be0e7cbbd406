/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views.h"

const struct view view_table[VIEWS] = {
    {.print = view_flat},
    {.option = "json",
     .what = "all of it as one JSON object (xenopreport(1) has its shape)",
     .print = view_json},
    {.option = "folded",
     .what = "one line for each call chain: its names, and its samples",
     .print = view_folded,
     .stacks = true},
    {.option = "flamegraph",
     .what = "an SVG picture of all call chains, to zoom and search in",
     .print = view_flamegraph,
     .stacks = true,
     .to_file = true},
};
