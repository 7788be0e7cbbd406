/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Members that several JSON objects of the report have.
 */
#ifndef XENOPROF_REPORT_TEXT_JSON_MEMBERS_H
#define XENOPROF_REPORT_TEXT_JSON_MEMBERS_H

#include "report/model/focus.h"
#include "report/model/profile.h"
#include "report/model/report.h"

#include "base/json-writer.h"

void json_put_number(struct json *json, const char *key, uint64_t value);
/* text NULL: null. */
void json_put_text(struct json *json, const char *key, const char *text);

/* "filter": a text, or null. */
void json_put_filter(struct json *json, const struct selection *selection);
/* "focus" and "ignore": texts, or null. */
void json_put_patterns(struct json *json, const struct focus *focus);
/* "selected": what is shown of the session. */
void json_put_selection(struct json *json, const struct report *report,
                        const struct profile *profile);
/* "frames": each distinct one, by its number. */
void json_put_frames(struct json *json, const struct report *report);
/* "stack": numbers of frames, root first. */
void json_put_chain(struct json *json, const struct stacks *stacks,
                    uint32_t chain);

#endif
