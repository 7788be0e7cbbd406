/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is said of who waited, in words.
 */
#ifndef XENOPROF_REPORT_WAITS_WAITS_TEXT_H
#define XENOPROF_REPORT_WAITS_WAITS_TEXT_H

#include "waits.h"

#include "report/text/header-line.h"
#include "report/text/sheet.h"

/* Fails if the session has no waits, and says why that may be. */
enum exit_status waits_expect(const struct report *report,
                              struct failure *failure);

/* The same for --exits. */
enum exit_status exits_expect(const struct report *report,
                              struct failure *failure);

/* What a domain is called, or NULL if it has no name. */
const char *waits_name_of(const struct loaded *loaded, const uint8_t uuid[16],
                          uint32_t domain);
/* "web (1)", malloc'ed; not clean. */
char *waits_domain_text(const struct loaded *loaded,
                        const struct waiting_domain *domain);
char *waits_domain_name(const struct loaded *loaded, const uint8_t uuid[16],
                        uint32_t domain);

/* "domain" and "domain_name", in JSON only. */
void waits_put_domain(struct sheet *sheet, const struct loaded *loaded,
                      const uint8_t uuid[16], uint32_t domain);

/* Adds how long each wait was. */
void waits_fill_lengths(struct sheet *sheet, const struct loaded *loaded);

/* Adds who waited for a pCPU for more than WAITS_MARKED of its time, at most so
 * many vCPUs: "web (1) v0 34.1 %, db (2) v3 12.0 %, 2 more"; nothing if nobody
 * did. */
void waits_add_marked(struct header_line *line, const struct loaded *loaded,
                      size_t most);

/* Returns whether any vCPU is marked. */
bool waits_any_marked(const struct waits *waits);

#endif
