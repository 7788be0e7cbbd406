/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What objects of --diff with --json have in common: xenopreport-json(5).
 */
#ifndef XENOPROF_REPORT_CHANGES_DIFF_JSON_H
#define XENOPROF_REPORT_CHANGES_DIFF_JSON_H

#include "base/json-writer.h"
#include "report/model/diff.h"

/* Begins the object, up to its rows. */
void diff_json_begin(struct json *json, const struct report *report,
                     const struct diff_whole whole[2], size_t beyond);

/* Puts the last members of a row. */
void diff_json_change(struct json *json, const struct report *report,
                      const struct amount side[2], const struct change *change);

/* The same of a row that is not of samples: its shares, and whether their
 * change is beyond noise. */
void diff_json_shares(struct json *json, const struct change *change);

#endif
