/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names.h"

#include <stdlib.h>
#include <string.h>

/* Texts have no fixed size, so their hash is the key; texts of the same hash
 * are told apart by a number of their own. */
struct name_key {
    uint64_t hash;
    uint64_t nth;
};

struct name {
    struct name_key key;
    char *text;
};

void names_init(struct names *names)
{
    table_init(&names->table, sizeof(struct name_key), sizeof(struct name));
}

void names_free(struct names *names)
{
    for ( size_t i = 0; i < names->table.count; i++ )
        free(((struct name *)table_at(&names->table, i))->text);
    table_free(&names->table);
}

static uint64_t name_hash(const char *text, uint64_t seed)
{
    size_t length = strlen(text), whole = length & ~(size_t)7;
    uint64_t rest = 0;

    memcpy(&rest, text + whole, length - whole);
    return table_hash(text, whole, seed) ^
           table_hash(&rest, sizeof(rest), seed + length);
}

/* The entry of text; NULL: there is none, and its key would be *ret. */
static struct name *find(const struct names *names, const char *text,
                         struct name_key *ret)
{
    struct name *name;

    *ret = (struct name_key){name_hash(text, names->table.seed), 0};
    while ( (name = table_find(&names->table, ret)) &&
            strcmp(name->text, text) )
        ret->nth++;
    return name;
}

bool names_find(const struct names *names, const char *text, uint32_t *ret)
{
    struct name_key key;
    const struct name *name = find(names, text, &key);

    *ret = name ? (uint32_t)table_index(&names->table, name) + 1 : 0;
    return name;
}

bool names_add(struct names *names, const char *text, uint32_t *ret)
{
    struct name_key key;
    struct name *name;

    *ret = 0;
    if ( !text )
        return true;
    name = find(names, text, &key);
    if ( !name )
    {
        char *copy = strdup(text);

        name = copy ? table_put(&names->table, &key) : NULL;
        if ( !name )
        {
            free(copy);
            return false;
        }
        name->text = copy;
    }
    *ret = (uint32_t)table_index(&names->table, name) + 1;
    return true;
}

const char *names_text(const struct names *names, uint32_t number)
{
    const struct name *name;

    if ( !number )
        return NULL;
    name = table_at(&names->table, number - 1);
    return name->text;
}
