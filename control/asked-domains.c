/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of ids, names and uuids: read, checked and matched with domains. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asked-domains.h"
#include "base/scope.h"
#include "number-set.h"

static const char *option_name(enum domain_role role)
{
    return role == ROLE_ACTIVE ? "--active-domains" : "--passive-domains";
}

static bool is_same_asked(const struct asked_domain *a,
                          const struct asked_domain *b)
{
    if ( a->by != b->by )
        return false;
    switch ( a->by )
    {
    case ASKED_BY_ID: return a->id == b->id;
    case ASKED_BY_UUID: return memcmp(a->uuid, b->uuid, 16) == 0;
    default: return strcmp(a->name, b->name) == 0;
    }
}

static int parse_one(const char *text, enum domain_role role,
                     struct asked_domain *ret, struct failure *failure)
{
    uint64_t number;

    *ret = (struct asked_domain){.by = ASKED_BY_NAME, .role = role};
    if ( *text == '\0' )
        return fail(failure, STATUS_USAGE,
                    "%s has an empty name in its list; give ids, names or "
                    "uuids with commas between them",
                    option_name(role));
    if ( number_parse(text, 0, UINT64_MAX, &number) )
    {
        if ( number >= DOMAIN_ID_LIMIT )
            return fail(failure, STATUS_RANGE,
                        "%s: %s is not a domain id; ids go from 0 to %u",
                        option_name(role), text, DOMAIN_ID_LIMIT - 1);
        ret->by = ASKED_BY_ID;
        ret->id = (uint16_t)number;
        return 0;
    }
    if ( uuid_parse(text, ret->uuid) )
    {
        ret->by = ASKED_BY_UUID;
        return 0;
    }
    if ( strlen(text) >= sizeof(ret->name) )
        return fail(failure, STATUS_RANGE,
                    "%s: a name is at most %u bytes long; use its id or uuid",
                    option_name(role), DOMAIN_NAME_MAX - 1);
    strcpy(ret->name, text);
    return 0;
}

static int add_one(struct asked_domains *asked,
                   const struct asked_domain *domain, struct failure *failure)
{
    struct asked_domain *added;

    for ( size_t i = 0; i < asked->count; i++ )
    {
        if ( !is_same_asked(&asked->items[i], domain) )
            continue;
        if ( asked->items[i].role == domain->role )
            return 0;
        return fail(failure, STATUS_USAGE,
                    "a domain is in --passive-domains and in "
                    "--active-domains; name it in one of them");
    }
    added = vector_add(asked);
    if ( !added )
        return fail_memory(failure);
    *added = *domain;
    return 0;
}

int asked_domains_add(struct asked_domains *asked, enum domain_role role,
                      const char *list, struct failure *failure)
{
    char *copy SCOPE_FREE = NULL;
    char *rest;
    int status = 0;

    if ( role == ROLE_PASSIVE && strcmp(list, "all") == 0 )
    {
        asked->all = true;
        return 0;
    }
    rest = copy = strdup(list);
    if ( !copy )
        return fail_memory(failure);
    while ( !status && rest )
    {
        struct asked_domain domain;

        status = parse_one(strsep(&rest, ","), role, &domain, failure);
        if ( !status )
            status = add_one(asked, &domain, failure);
    }
    return status;
}

void asked_domains_free(struct asked_domains *asked)
{
    vector_free(asked);
    asked->all = false;
}

static bool matches(const struct asked_domain *asked,
                    const struct listed_domain *domain)
{
    switch ( asked->by )
    {
    case ASKED_BY_ID:
        return asked->id == domain->id &&
               (!asked->bound || memcmp(asked->uuid, domain->uuid, 16) == 0);
    case ASKED_BY_UUID: return memcmp(asked->uuid, domain->uuid, 16) == 0;
    default: return strcmp(asked->name, domain->name) == 0;
    }
}

static const struct listed_domain *find_match(const struct asked_domain *asked,
                                              const struct domain_list *list)
{
    for ( size_t i = 0; i < list->count; i++ )
        if ( matches(asked, &list->items[i]) )
            return &list->items[i];
    return NULL;
}

static int fail_unknown(const struct asked_domain *asked,
                        const struct domain_list *list, struct failure *failure)
{
    char existing[FAILURE_MAX - 400];
    char text[UUID_TEXT_SIZE];

    domain_list_text(list, existing, sizeof(existing));
    if ( asked->by == ASKED_BY_ID )
        return fail(failure, STATUS_NO_DOMAIN,
                    "there is no domain %u; these exist: %s", asked->id,
                    existing);
    if ( asked->by == ASKED_BY_NAME )
        return fail(failure, STATUS_NO_DOMAIN,
                    "there is no domain named '%s'; these exist: %s",
                    asked->name, existing);
    uuid_format(asked->uuid, text);
    return fail(failure, STATUS_NO_DOMAIN,
                "there is no domain with the uuid %s; these exist: %s", text,
                existing);
}

int asked_domains_resolve(struct asked_domains *asked,
                          const struct domain_list *list,
                          struct failure *failure)
{
    for ( size_t i = 0; i < asked->count; i++ )
    {
        struct asked_domain *one = &asked->items[i];
        const struct listed_domain *domain = find_match(one, list);

        if ( !domain )
            return fail_unknown(one, list, failure);
        if ( one->by == ASKED_BY_ID && !one->bound )
        {
            memcpy(one->uuid, domain->uuid, sizeof(one->uuid));
            one->bound = true;
        }
    }
    return 0;
}

enum domain_role asked_domains_match(const struct asked_domains *asked,
                                     const struct listed_domain *domain)
{
    if ( domain->id == 0 )
        return ROLE_DOM0;
    for ( size_t i = 0; i < asked->count; i++ )
        if ( matches(&asked->items[i], domain) )
            return asked->items[i].role;
    return asked->all ? ROLE_PASSIVE : ROLE_OTHER;
}

bool asked_domains_have(const struct asked_domains *asked,
                        enum domain_role role)
{
    for ( size_t i = 0; i < asked->count; i++ )
        if ( asked->items[i].role == role )
            return true;
    return false;
}

const char *domain_role_name(enum domain_role role)
{
    static const char *const names[] = {
        [ROLE_OTHER] = "other",
        [ROLE_PASSIVE] = "passive",
        [ROLE_ACTIVE] = "active",
        [ROLE_DOM0] = "dom0",
    };

    return names[role];
}

static void print_asked_domain(const struct asked_domain *domain, FILE *file)
{
    char uuid[UUID_TEXT_SIZE];

    switch ( domain->by )
    {
    case ASKED_BY_ID: fprintf(file, "%u", domain->id); break;
    case ASKED_BY_NAME: fputs(domain->name, file); break;
    case ASKED_BY_UUID:
        uuid_format(domain->uuid, uuid);
        fputs(uuid, file);
        break;
    }
}

char *asked_domains_text(const struct asked_domains *asked,
                         enum domain_role role)
{
    const char *between = "";
    char *text = NULL;
    size_t size;
    FILE *file;

    if ( role == ROLE_PASSIVE && asked->all )
        return strdup("all");
    file = open_memstream(&text, &size);
    if ( !file )
        return NULL;
    for ( size_t i = 0; i < asked->count; i++ )
        if ( asked->items[i].role == role )
        {
            fputs(between, file);
            print_asked_domain(&asked->items[i], file);
            between = ",";
        }
    fclose(file);
    return text;
}
