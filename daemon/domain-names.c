/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "libxenoprof/session-attributes.h"
#include "domain-names.h"

void domain_names_free(struct domain_names *names)
{
    free(names->named);
    *names = (struct domain_names){0};
}

void domain_names_forget_told(struct domain_names *names)
{
    for ( size_t i = 0; i < names->count; i++ )
        names->named[i].told = false;
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
        const struct domain_name *named = &names->named[i];

        if ( named->domain == domain &&
             (!uuid || memcmp(named->uuid, uuid, 16) == 0) )
            return named;
    }
    return NULL;
}

/* A new entry at the end, or NULL. */
static struct domain_name *add(struct domain_names *names, uint16_t domain,
                               const uint8_t uuid[16])
{
    struct domain_name *named;

    if ( names->count == names->room )
    {
        size_t room = names->room ? names->room * 2 : 16;

        named = reallocarray(names->named, room, sizeof(*named));
        if ( !named )
            return NULL;
        names->named = named;
        names->room = room;
    }
    named = &names->named[names->count++];
    *named = (struct domain_name){.domain = domain};
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
        named = add(names, domain->id, domain->uuid);
    if ( !named )
        return false;
    /* A domain has no name yet when it is new, and may get another one. */
    if ( domain->name[0] && strcmp(named->name, domain->name) )
    {
        strcpy(named->name, domain->name);
        named->told = false;
    }
    if ( named->role != role )
        named->told = false;
    named->role = role;
    return true;
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
    return true;
}

static enum xenoprof_status tell_idle(struct xenoprof_writer *writer,
                                      uint64_t time)
{
    static const uint8_t nobody[16];

    return xenoprof_writer_domain(writer, time, DOMAIN_ID_IDLE, nobody,
                                  DOMAIN_NAME_IDLE, SESSION_KIND_XEN);
}

/* A session knows one domain by a number at a time. */
static void mark_told(struct domain_names *names, struct domain_name *named)
{
    for ( size_t i = 0; i < names->count; i++ )
        if ( names->named[i].domain == named->domain )
            names->named[i].told = false;
    named->told = true;
}

enum xenoprof_status domain_names_tell(struct domain_names *names,
                                       struct xenoprof_writer *writer,
                                       uint64_t time, uint16_t domain,
                                       const uint8_t *uuid)
{
    static const uint8_t unknown[16];
    struct domain_name *named;
    enum xenoprof_status code;

    if ( names->last_good && names->last == domain )
        return XENOPROF_OK;
    named = (struct domain_name *)domain_names_find(names, domain, uuid);
    if ( !named )
        named = add(names, domain, uuid ? uuid : unknown);
    if ( !named )
        return XENOPROF_NO_MEMORY;
    if ( !named->told )
    {
        code = domain == DOMAIN_ID_IDLE
                   ? tell_idle(writer, time)
                   : xenoprof_writer_domain(writer, time, domain, named->uuid,
                                            named->name,
                                            domain_role_name(named->role));
        if ( code )
            return code;
        mark_told(names, named);
    }
    names->last = domain;
    names->last_good = true;
    return XENOPROF_OK;
}
