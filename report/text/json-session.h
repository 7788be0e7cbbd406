/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The facts of a session as a member of a JSON object.
 */
#ifndef XENOPROF_REPORT_TEXT_JSON_SESSION_H
#define XENOPROF_REPORT_TEXT_JSON_SESSION_H

#include "report/model/profile.h"
#include "report/model/report.h"

#include "base/json-writer.h"

/* Begins an object with its version and the session; json_end_report() ends
 * it. */
void json_begin_report(struct json *json, const struct report *report,
                       const struct profile *profile, FILE *file);
void json_end_report(struct json *json);

void json_put_session(struct json *json, const struct report *report,
                      const struct profile *profile);

#endif
