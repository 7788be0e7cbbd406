/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --serve as a view: it needs of a session what its page does.  It prints none:
 * serve_run() does not end.
 */
#include "report/model/report.h"

const struct view view_serve = {
    .option = "serve",
    .what = "that page on this host, while the session grows",
    .stacks = true,
    .times = true,
    .who = true,
    .argument = "PORT",
    .argument_optional = true,
};
