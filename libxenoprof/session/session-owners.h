/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose a writer's places and stacks are: a domain's, by number and uuid.  When
 * many of them are of domains that have ended, it is time to drop those.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_OWNERS_H
#define XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_OWNERS_H

#include "base/table.h"

struct owner_key {
    uint32_t uuid; /* string */
    uint32_t domain;
};

struct owner {
    struct owner_key key;
    uint64_t weight; /* of what it has: places, and places of stacks */
    bool ended;
};

struct owners {
    struct table table;    /* struct owner */
    uint64_t weight, dead; /* of all, and of those that have ended */
};

void owners_init(struct owners *owners);
void owners_free(struct owners *owners);

/* The owner has more; uuid 0: nobody has.  Returns false if there is no
 * memory. */
bool owners_add(struct owners *owners, uint32_t uuid, uint16_t domain,
                uint64_t weight);
/* Something that nobody owns is not wanted any more. */
void owners_add_waste(struct owners *owners);
/* Nothing of it is wanted any more, or it is again. */
void owners_end(struct owners *owners, uint32_t uuid, uint16_t domain,
                bool ended);
bool owners_has_ended(const struct owners *owners, uint32_t uuid,
                      uint16_t domain);

/* Returns true if dropping what is dead costs no more, for each that was added,
 * than a few steps. */
bool owners_are_worth_dropping(const struct owners *owners);

/* Sets *ret to those that have not ended.  Returns false if there is no
 * memory. */
bool owners_keep(const struct owners *owners, struct owners *ret);

#endif
