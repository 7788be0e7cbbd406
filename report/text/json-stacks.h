/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Members of the JSON report that are about call chains.
 */
#ifndef XENOPROF_REPORT_TEXT_JSON_STACKS_H
#define XENOPROF_REPORT_TEXT_JSON_STACKS_H

#include "report/model/focus.h"
#include "report/model/report.h"

#include "base/json-writer.h"

/* "focus" and "ignore": texts, or null. */
void json_put_patterns(struct json *json, const struct focus *focus);
/* "frames": each distinct one, by its number. */
void json_put_frames(struct json *json, const struct report *report);
/* "stack": numbers of frames, root first. */
void json_put_chain(struct json *json, const struct stacks *stacks,
                    uint32_t chain);

#endif
