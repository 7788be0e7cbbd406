/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each sample of a report as a member of a JSON object; loaded.log has been
 * asked for.
 */
#ifndef XENOPROF_REPORT_EXPORT_JSON_SAMPLES_H
#define XENOPROF_REPORT_EXPORT_JSON_SAMPLES_H

#include "report/model/report.h"

#include "base/json-writer.h"

/* "samples": in the order of time.  Stacks are numbers of json_put_frames(). */
void json_put_samples(struct json *json, const struct report *report);

#endif
