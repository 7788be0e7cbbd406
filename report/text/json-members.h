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
void json_put_bool(struct json *json, const char *key, bool value);
/* Rounded to a multiple of 1/per: as many digits as mean something.  What is
 * not finite is null. */
void json_put_rounded(struct json *json, const char *key, double value,
                      double per);
/* text NULL: null. */
void json_put_text(struct json *json, const char *key, const char *text);
/* An array that json_array_end() ends. */
void json_begin_array(struct json *json, const char *key);
/* "domain" and "domain_name"; NULL: null. */
void json_put_domain(struct json *json, const struct loaded *loaded,
                     const struct loaded_domain *domain);

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
