/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distinct texts, numbered in the order in which they came. */
#include "names.h"

#include <stdlib.h>
#include <string.h>

void names_init(struct names *names)
{
    *names = (struct names){0};
    id_table_init(&names->ids);
}

void names_free(struct names *names)
{
    for ( size_t i = 0; i < names->count; i++ )
        free(names->items[i]);
    vector_free(names);
    id_table_deinit(&names->ids);
}

static uint32_t text_hash(const struct names *names, const char *text)
{
    return (uint32_t)hash_bytes(names->ids.seed, text, strlen(text));
}

static uint32_t find_name_number(const struct names *names, const char *text,
                                 uint32_t hash)
{
    const struct id_slot *slot = id_first(&names->ids, hash);

    while ( slot->id &&
            (slot->hash != hash || strcmp(names->items[slot->id - 1], text)) )
        slot = id_after(&names->ids, slot);
    return slot->id;
}

bool names_find(const struct names *names, const char *text, uint32_t *ret)
{
    *ret = find_name_number(names, text, text_hash(names, text));
    return *ret;
}

bool names_add(struct names *names, const char *text, uint32_t *ret)
{
    char *copy, **item;
    uint32_t hash;

    *ret = 0;
    if ( !text )
        return true;
    hash = text_hash(names, text);
    *ret = find_name_number(names, text, hash);
    if ( *ret )
        return true;
    copy = strdup(text);
    item = copy ? vector_add(names) : NULL;
    if ( !item || !id_table_add(&names->ids, hash, (uint32_t)names->count) )
    {
        names->count -= item != NULL;
        free(copy);
        return false;
    }
    *item = copy;
    *ret = (uint32_t)names->count;
    return true;
}

const char *names_text(const struct names *names, uint32_t number)
{
    return number ? names->items[number - 1] : NULL;
}
