/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Domains as users name them: by number, by name (a pattern as in file names
 * is one, too) or by uuid.
 */
#ifndef XENOPROF_REPORT_MODEL_DOMAIN_TEXT_H
#define XENOPROF_REPORT_MODEL_DOMAIN_TEXT_H

#include "base/failure.h"
#include "loaded.h"

#define UUID_TEXT 37u

void domain_uuid(const struct loaded_domain *domain, char ret[UUID_TEXT]);

/* Whether wanted means the domain with this number, uuid and name, which may be
 * NULL; and the same of a session's. */
bool domain_called(int32_t number, const uint8_t uuid[16], const char *name,
                   const char *wanted);
bool domain_is(const struct loaded *loaded, uint32_t index, const char *wanted);

/* STATUS_DONE if any of the session's domains is meant by wanted; else the
 * failure lists those that there are. */
enum exit_status domain_expect(const struct loaded *loaded, const char *wanted,
                               struct failure *failure);

/* "name (number)", or only the name for `other` and `idle`, or only the number
 * where there is no name.  malloc'ed. */
char *domain_text(const struct loaded *loaded, uint32_t index);

/* -1 for `other`. */
static inline int32_t domain_number(const struct loaded_domain *domain)
{
    return domain->key.other ? -1 : (int32_t)domain->key.number;
}

#endif
