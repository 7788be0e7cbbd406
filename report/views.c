/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views.h"

const struct view view_table[VIEWS] = {
    {NULL, NULL, view_flat, false},
    {"json", "all of it as one JSON object (xenopreport(1) has its shape)",
     view_json, false},
};
