/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which domains a session has, and storing them before their first samples. */
#include <string.h>

#include "base/clock.h"
#include "libxenoprof/session/session-attributes.h"
#include "domain-names.h"

void domain_names_free(struct domain_names *names)
{
    vector_free(names);
    names->last_good = false;
}

void domain_names_forget_stored(struct domain_names *names)
{
    for ( size_t i = 0; i < names->count; i++ )
        names->items[i].stored = false;
    names->last_good = false;
}

void domain_names_next_ring(struct domain_names *names)
{
    names->last_good = false;
}

const struct domain_name *domain_names_find(const struct domain_names *names,
                                            uint16_t domain,
                                            const uint8_t *uuid)
{
    for ( size_t i = names->count; i-- > 0; )
    {
        const struct domain_name *named = &names->items[i];

        if ( named->domain == domain &&
             (!uuid || memcmp(named->uuid, uuid, 16) == 0) )
            return named;
    }
    return NULL;
}

/* A new entry at the end, or NULL. */
static struct domain_name *add_domain_name(struct domain_names *names,
                                           uint16_t domain,
                                           const uint8_t uuid[16])
{
    struct domain_name *named;

    named = vector_add(names);
    if ( !named )
        return NULL;
    named->domain = domain;
    memcpy(named->uuid, uuid, 16);
    return named;
}

static bool learn_one(struct domain_names *names,
                      const struct listed_domain *domain, enum domain_role role)
{
    struct domain_name *named;

    named = (struct domain_name *)domain_names_find(names, domain->id,
                                                    domain->uuid);
    if ( !named )
        named = add_domain_name(names, domain->id, domain->uuid);
    if ( !named )
        return false;
    /* A domain has no name yet when it is new, and may get another one. */
    if ( domain->name[0] && strcmp(named->name, domain->name) )
    {
        strcpy(named->name, domain->name);
        named->stored = false;
    }
    if ( named->role != role )
        named->stored = false;
    named->role = role;
    return true;
}

static bool is_domain_listed(const struct domain_list *list,
                             const struct domain_name *named)
{
    const struct listed_domain *domain = domain_list_find(list, named->domain);

    return domain && memcmp(domain->uuid, named->uuid, 16) == 0;
}

static void note_gone(struct domain_names *names,
                      const struct domain_list *list)
{
    uint64_t now = monotonic_now();

    for ( size_t i = 0; i < names->count; i++ )
    {
        struct domain_name *named = &names->items[i];

        if ( is_domain_listed(list, named) )
            named->gone = 0;
        else if ( !named->gone )
            named->gone = now;
    }
}

static size_t above(size_t count, size_t most)
{
    return count > most ? count - most : 0;
}

static void forget_oldest(struct domain_names *names,
                          const struct domain_list *list)
{
    size_t over = above(names->count, list->count + DOMAIN_NAMES_GONE);
    size_t rush = above(names->count, list->count + DOMAIN_NAMES_RUSH);
    size_t kept = 0;

    for ( size_t i = 0; i < names->count; i++ )
    {
        const struct domain_name *named = &names->items[i];
        bool goes = named->gone && (rush || (over && named->ended));

        over -= goes && over;
        rush -= goes && rush;
        if ( !goes )
            names->items[kept++] = *named;
    }
    names->count = kept;
}

bool domain_names_learn(struct domain_names *names,
                        const struct domain_list *list,
                        const struct asked_domains *asked)
{
    names->last_good = false;
    for ( size_t i = 0; i < list->count; i++ )
        if ( !learn_one(names, &list->items[i],
                        asked_domains_match(asked, &list->items[i])) )
            return false;
    note_gone(names, list);
    forget_oldest(names, list);
    return true;
}

enum xenoprof_status domain_names_store(struct domain_names *names,
                                        struct xenoprof_writer *writer,
                                        uint64_t time, uint16_t domain,
                                        const uint8_t *uuid)
{
    static const uint8_t unknown[16];
    struct domain_name *named;
    enum xenoprof_status status;

    if ( names->last_good && names->last == domain )
        return XENOPROF_OK;
    named = (struct domain_name *)domain_names_find(names, domain, uuid);
    if ( !named )
        named = add_domain_name(names, domain, uuid ? uuid : unknown);
    if ( !named )
        return XENOPROF_NO_MEMORY;
    if ( !named->stored )
    {
        status = domain == DOMAIN_ID_IDLE
                     ? xenoprof_writer_domain(writer, time, domain, unknown,
                                              DOMAIN_NAME_IDLE,
                                              SESSION_KIND_XEN)
                     : xenoprof_writer_domain(writer, time, domain, named->uuid,
                                              named->name,
                                              domain_role_name(named->role));
        if ( status )
            return status;
        /* A session knows one domain by a number at a time. */
        for ( size_t i = 0; i < names->count; i++ )
            if ( names->items[i].domain == domain )
                names->items[i].stored = false;
        named->stored = true;
        /* It has samples: it is gone again when the list says so. */
        named->ended = false;
        named->gone = 0;
    }
    names->last = domain;
    names->last_good = true;
    return XENOPROF_OK;
}
