/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The facts of a session as a member of a JSON object.
 */
#ifndef XENOPROF_REPORT_TEXT_JSON_SESSION_H
#define XENOPROF_REPORT_TEXT_JSON_SESSION_H

#include "report/model/profile.h"
#include "report/model/report.h"

#include "base/json-writer.h"

void json_put_session(struct json *json, const struct report *report,
                      const struct profile *profile);

#endif
