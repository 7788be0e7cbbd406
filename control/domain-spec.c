/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "domain-spec.h"
#include "number-set.h"
#include "base/scope.h"

static const char *option_name(enum domain_kind wanted)
{
    return wanted == DOMAIN_ACTIVE ? "--active-domains" : "--passive-domains";
}

static bool same_spec(const struct domain_spec *a, const struct domain_spec *b)
{
    if ( a->kind != b->kind )
        return false;
    switch ( a->kind )
    {
    case DOMAIN_BY_ID: return a->id == b->id;
    case DOMAIN_BY_UUID: return memcmp(a->uuid, b->uuid, 16) == 0;
    default: return strcmp(a->name, b->name) == 0;
    }
}

static int parse_one(const char *text, enum domain_kind wanted,
                     struct domain_spec *ret, struct failure *failure)
{
    uint64_t number;

    *ret = (struct domain_spec){.kind = DOMAIN_BY_NAME, .wanted = wanted};
    if ( *text == '\0' )
        return fail(failure, STATUS_USAGE,
                    "%s has an empty name in its list; give ids, names or "
                    "uuids with commas between them",
                    option_name(wanted));
    if ( number_parse(text, 0, UINT64_MAX, &number) )
    {
        if ( number >= DOMAIN_ID_LIMIT )
            return fail(failure, STATUS_RANGE,
                        "%s: %s is no domain id; ids go from 0 to %u",
                        option_name(wanted), text, DOMAIN_ID_LIMIT - 1);
        ret->kind = DOMAIN_BY_ID;
        ret->id = (uint16_t)number;
        return 0;
    }
    if ( uuid_parse(text, ret->uuid) )
    {
        ret->kind = DOMAIN_BY_UUID;
        return 0;
    }
    if ( strlen(text) >= sizeof(ret->name) )
        return fail(failure, STATUS_RANGE,
                    "%s: a name is at most %u bytes long; use its id or uuid",
                    option_name(wanted), DOMAIN_NAME_MAX - 1);
    strcpy(ret->name, text);
    return 0;
}

static int add_one(struct domain_specs *specs, const struct domain_spec *spec,
                   struct failure *failure)
{
    struct domain_spec *grown;

    for ( size_t i = 0; i < specs->count; i++ )
    {
        if ( !same_spec(&specs->specs[i], spec) )
            continue;
        if ( specs->specs[i].wanted == spec->wanted )
            return 0;
        return fail(failure, STATUS_USAGE,
                    "a domain is in --passive-domains and in "
                    "--active-domains; name it in one of them");
    }
    grown = reallocarray(specs->specs, specs->count + 1, sizeof(*grown));
    if ( !grown )
        return fail_memory(failure);
    grown[specs->count++] = *spec;
    specs->specs = grown;
    return 0;
}

int domain_specs_add(struct domain_specs *specs, enum domain_kind wanted,
                     const char *list, struct failure *failure)
{
    char *copy SCOPE_FREE = NULL;
    char *rest;
    int status = 0;

    if ( wanted == DOMAIN_PASSIVE && strcmp(list, "all") == 0 )
    {
        specs->all = true;
        return 0;
    }
    rest = copy = strdup(list);
    if ( !copy )
        return fail_memory(failure);
    while ( !status && rest )
    {
        struct domain_spec spec;

        status = parse_one(strsep(&rest, ","), wanted, &spec, failure);
        if ( !status )
            status = add_one(specs, &spec, failure);
    }
    return status;
}

void domain_specs_free(struct domain_specs *specs)
{
    free(specs->specs);
    *specs = (struct domain_specs){0};
}

static bool matches(const struct domain_spec *spec, const struct domain *domain)
{
    switch ( spec->kind )
    {
    case DOMAIN_BY_ID:
        return spec->id == domain->id &&
               (!spec->bound || memcmp(spec->uuid, domain->uuid, 16) == 0);
    case DOMAIN_BY_UUID: return memcmp(spec->uuid, domain->uuid, 16) == 0;
    default: return strcmp(spec->name, domain->name) == 0;
    }
}

static const struct domain *find_match(const struct domain_spec *spec,
                                       const struct domain_list *list)
{
    for ( size_t i = 0; i < list->count; i++ )
        if ( matches(spec, &list->domains[i]) )
            return &list->domains[i];
    return NULL;
}

static int say_unknown(const struct domain_spec *spec,
                       const struct domain_list *list, struct failure *failure)
{
    char existing[FAILURE_MAX - 400];
    char text[UUID_TEXT_SIZE];

    domain_list_text(list, existing, sizeof(existing));
    if ( spec->kind == DOMAIN_BY_ID )
        return fail(failure, STATUS_NO_DOMAIN,
                    "there is no domain %u; these exist: %s", spec->id,
                    existing);
    if ( spec->kind == DOMAIN_BY_NAME )
        return fail(failure, STATUS_NO_DOMAIN,
                    "there is no domain named '%s'; these exist: %s",
                    spec->name, existing);
    uuid_format(spec->uuid, text);
    return fail(failure, STATUS_NO_DOMAIN,
                "there is no domain with the uuid %s; these exist: %s", text,
                existing);
}

int domain_specs_resolve(struct domain_specs *specs,
                         const struct domain_list *list,
                         struct failure *failure)
{
    for ( size_t i = 0; i < specs->count; i++ )
    {
        struct domain_spec *spec = &specs->specs[i];
        const struct domain *domain = find_match(spec, list);

        if ( !domain )
            return say_unknown(spec, list, failure);
        if ( spec->kind == DOMAIN_BY_ID && !spec->bound )
        {
            memcpy(spec->uuid, domain->uuid, sizeof(spec->uuid));
            spec->bound = true;
        }
    }
    return 0;
}

enum domain_kind domain_specs_match(const struct domain_specs *specs,
                                    const struct domain *domain)
{
    enum domain_kind kind = specs->all ? DOMAIN_PASSIVE : DOMAIN_OTHER;

    if ( domain->id == 0 )
        return DOMAIN_DOM0;
    for ( size_t i = 0; i < specs->count; i++ )
        if ( matches(&specs->specs[i], domain) )
            return specs->specs[i].wanted;
    return kind;
}

const char *domain_kind_name(enum domain_kind kind)
{
    static const char *const names[] = {
        [DOMAIN_OTHER] = "other",
        [DOMAIN_PASSIVE] = "passive",
        [DOMAIN_ACTIVE] = "active",
        [DOMAIN_DOM0] = "dom0",
    };

    return names[kind];
}
