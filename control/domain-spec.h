/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which domains a user asked for: --passive-domains and --active-domains.
 *
 * A name or a uuid is followed over reboots; an id means the domain that had
 * it when the session began, and ends with it.
 */
#ifndef XENOPROF_CONTROL_DOMAIN_SPEC_H
#define XENOPROF_CONTROL_DOMAIN_SPEC_H

#include "domain-list.h"
#include "base/failure.h"

enum domain_kind { DOMAIN_OTHER, DOMAIN_PASSIVE, DOMAIN_ACTIVE, DOMAIN_DOM0 };

enum domain_spec_kind { DOMAIN_BY_ID, DOMAIN_BY_NAME, DOMAIN_BY_UUID };

struct domain_spec {
    enum domain_spec_kind kind;
    enum domain_kind wanted; /* passive or active */
    uint16_t id;
    bool bound; /* of an id: uuid is the domain that it means */
    uint8_t uuid[16];
    char name[DOMAIN_NAME_MAX];
};

struct domain_specs {
    bool all; /* every domain is passive unless a spec says active */
    struct domain_spec *specs; /* malloc'ed */
    size_t count;
};

/*
 * Add the list that option ("passive-domains", for the sentence) was given.
 * A domain named twice counts once; dom0 is always profiled, naming it is
 * fine.  Returns 0, or STATUS_USAGE or STATUS_RANGE with a sentence.
 */
int domain_specs_add(struct domain_specs *specs, enum domain_kind wanted,
                     const char *list, struct failure *failure);
void domain_specs_free(struct domain_specs *specs);

/*
 * Bind the ids, and check that every domain asked for is in list.  Returns 0,
 * or STATUS_NO_DOMAIN with a sentence that lists those that exist.
 */
int domain_specs_resolve(struct domain_specs *specs,
                         const struct domain_list *list,
                         struct failure *failure);

/* What domain is to this session. */
enum domain_kind domain_specs_match(const struct domain_specs *specs,
                                    const struct domain *domain);

/* "dom0", "passive", "active", "other". */
const char *domain_kind_name(enum domain_kind kind);

#endif
