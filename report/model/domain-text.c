/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Domains by what users call them, and what reports call them. */
#include "domain-text.h"

#include "base/must.h"
#include "base/scope.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_MAX 512u

static void write_uuid(const uint8_t uuid[16], char ret[UUID_TEXT])
{
    char *at = ret;

    for ( int i = 0; i < 16; i++ )
    {
        if ( i == 4 || i == 6 || i == 8 || i == 10 )
            *at++ = '-';
        at += sprintf(at, "%02x", uuid[i]);
    }
}

void domain_uuid(const struct loaded_domain *domain, char ret[UUID_TEXT])
{
    write_uuid(domain->key.uuid, ret);
}

bool domain_called(int32_t number, const uint8_t uuid[16], const char *name,
                   const char *wanted)
{
    char digits[12], text[UUID_TEXT];

    snprintf(digits, sizeof(digits), "%" PRId32, number);
    write_uuid(uuid, text);
    return !strcmp(wanted, digits) || !strcasecmp(wanted, text) ||
           (name && (!strcmp(wanted, name) || !fnmatch(wanted, name, 0)));
}

bool domain_is(const struct loaded *loaded, uint32_t index, const char *wanted)
{
    const struct loaded_domain *domain = loaded_domain(loaded, index);

    return domain_called(domain_number(domain), domain->key.uuid,
                         names_text(&loaded->names, domain->name), wanted);
}

char *domain_text(const struct loaded *loaded, uint32_t index)
{
    const struct loaded_domain *domain = loaded_domain(loaded, index);
    const char *name = names_text(&loaded->names, domain->name);

    if ( index == DOMAIN_INDEX_OTHER || index == DOMAIN_INDEX_IDLE )
        return must(strdup(name));
    if ( name )
        return must_text("%s (%" PRIu32 ")", name, domain->key.number);
    return must_text("%" PRIu32, domain->key.number);
}

enum exit_status domain_expect(const struct loaded *loaded, const char *wanted,
                               struct failure *failure)
{
    char list[LIST_MAX] = "";
    size_t used = 0;

    for ( size_t i = 0; i < loaded->domains.count; i++ )
        if ( domain_is(loaded, (uint32_t)i, wanted) )
            return STATUS_DONE;
    /* As far as they fit. */
    for ( size_t i = 0; i < loaded->domains.count; i++ )
    {
        char *text SCOPE_FREE = domain_text(loaded, (uint32_t)i);

        if ( used + strlen(text) + sizeof(", ...") >= LIST_MAX )
        {
            sprintf(list + used, ", ...");
            break;
        }
        used += (size_t)sprintf(list + used, "%s%s", used ? ", " : "", text);
    }
    return fail(failure, STATUS_NO_DOMAIN,
                "the session has no domain \"%s\": it has %s", wanted, list);
}
