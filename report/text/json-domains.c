/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json-domains.h"

#include "report/model/chain-ends.h"
#include "report/model/domains.h"
#include "json-session.h"
#include "report/model/kernel-attribute.h"

#include <stdlib.h>
#include <string.h>

static bool is_number(unsigned int key)
{
    return key == KERNEL_SYMBOLS || key == KERNEL_MODULES ||
           key == KERNEL_ORC_ROWS;
}

static void put_kernel_value(struct json *json, unsigned int key,
                             const char *value)
{
    char name[32];
    char *dash;

    snprintf(name, sizeof(name), "%s", kernel_attribute_keys[key]);
    while ( (dash = strchr(name, '-')) )
        *dash = '_';
    if ( value && is_number(key) )
        json_put_number(json, name, strtoull(value, NULL, 10));
    else if ( value && (!strcmp(value, "yes") || !strcmp(value, "no")) )
    {
        json_key(json, name);
        json_bool(json, !strcmp(value, "yes"));
    }
    else
        json_put_text(json, name, value);
}

static void put_kernel(struct json *json, const struct loaded *loaded,
                       uint32_t domain)
{
    struct kernel_attribute attribute;

    json_key(json, "kernel");
    if ( !kernel_attribute_read(loaded, domain, &attribute) )
    {
        json_null(json);
        return;
    }
    json_object_begin_flat(json);
    json_put_text(json, "missing", attribute.missing);
    for ( unsigned int i = 0; !attribute.missing && i < KERNEL_ATTRIBUTE_KEYS;
          i++ )
        put_kernel_value(json, i, attribute.value[i]);
    json_object_end(json);
    kernel_attribute_free(&attribute);
}

static void put_ends(struct json *json, const struct chain_ends *ends)
{
    json_object_begin_flat(json);
    for ( unsigned int i = 0; i < XENOPROF_ENDS; i++ )
        if ( i == XENOPROF_ENDED_ROOT || ends->ended[i] )
            json_put_number(json, xenoprof_ended_name((enum xenoprof_ended)i),
                            ends->ended[i]);
    json_object_end(json);
}

/* null where no chains were recorded. */
static void put_chains(struct json *json, const struct loaded *loaded,
                       uint32_t domain, const bool recorded[CHAIN_MODES])
{
    json_key(json, "chains");
    json_object_begin(json);
    for ( unsigned int m = 0; m < CHAIN_MODES; m++ )
    {
        struct chain_ends ends;

        json_key(json, xenoprof_mode_name(chain_modes[m]));
        if ( !recorded[m] )
        {
            json_null(json);
            continue;
        }
        ends = chain_ends_count(loaded, domain, chain_modes[m]);
        put_ends(json, &ends);
    }
    json_object_end(json);
}

void json_put_domains(struct json *json, const struct loaded *loaded)
{
    bool recorded[CHAIN_MODES];

    chain_ends_recorded(loaded, recorded);
    json_key(json, "domains");
    json_array_begin(json);
    for ( size_t i = 0; i < loaded->domains.count; i++ )
    {
        const struct loaded_domain *domain = loaded_domain(loaded, (uint32_t)i);
        char uuid[UUID_TEXT];

        if ( i == DOMAIN_INDEX_OTHER || i == DOMAIN_INDEX_IDLE )
            continue;
        json_object_begin(json);
        json_put_number(json, "domain", domain->key.number);
        json_put_text(json, "name", names_text(&loaded->names, domain->name));
        json_put_text(json, "kind", names_text(&loaded->names, domain->kind));
        domain_uuid(domain, uuid);
        json_put_text(json, "uuid", uuid);
        put_kernel(json, loaded, (uint32_t)i);
        put_chains(json, loaded, (uint32_t)i, recorded);
        json_object_end(json);
    }
    json_array_end(json);
}
