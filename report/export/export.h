/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --export=FORMAT[:FILE]: samples for other tools.  A format is a view in a
 * file of its own, and a row of formats.def.
 */
#ifndef XENOPROF_REPORT_EXPORT_EXPORT_H
#define XENOPROF_REPORT_EXPORT_EXPORT_H

#include "base/failure.h"
#include "report/model/report.h"

/* Finds the format of "FORMAT[:FILE]"; *file is NULL if none is named. */
enum exit_status export_find(const char *text, const struct view **view,
                             const char **file, struct failure *failure);

#endif
