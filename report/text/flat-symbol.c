/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flat-symbol.h"

#include "report/model/areas.h"
#include "flat-rows.h"

#include <stdlib.h>
#include <string.h>

static const char *name_of(const struct report *report, uint64_t name)
{
    return name == LABEL_NONE
               ? NULL
               : names_text(&report->loaded->names, (uint32_t)name);
}

static const char *without_path(const char *file)
{
    const char *slash = strrchr(file, '/');

    return slash && slash[1] ? slash + 1 : file;
}

/* The image, if nothing else in the row says it. */
static const char *image_told(const struct report *report,
                              const struct row_key *key)
{
    const char *image = name_of(report, key->value[LABEL_IMAGE]);
    uint64_t mode = key->value[LABEL_MODE];

    if ( !image || report->query->sort_given )
        return NULL;
    if ( mode != LABEL_NONE &&
         !strcmp(image, xenoprof_mode_name((unsigned int)mode)) )
        return NULL;
    return without_path(image);
}

/* Whether another symbol of the same image would be shown by the same name. */
static bool shared(const struct report *report, const struct profile *profile,
                   const struct row_key *key)
{
    uint64_t symbol = key->value[LABEL_SYMBOL];
    const char *name = label_short_symbol(name_of(report, symbol));

    for ( size_t i = 0; i < profile->count; i++ )
    {
        const struct row_key *other = &profile->sorted[i]->key;
        uint64_t second = other->value[LABEL_SYMBOL];

        if ( second != symbol && second != LABEL_NONE &&
             other->value[LABEL_IMAGE] == key->value[LABEL_IMAGE] &&
             !strcmp(label_short_symbol(name_of(report, second)), name) )
            return true;
    }
    return false;
}

/* "get_page", or "get_page [mm.c]" if there are several. */
static char *own_name(const struct report *report,
                      const struct profile *profile, const struct row_key *key)
{
    const char *whole = name_of(report, key->value[LABEL_SYMBOL]);
    const char *name = whole ? label_short_symbol(whole) : NULL;
    char *file, *text;

    if ( !whole || name == whole || !shared(report, profile, key) )
        return label_text(report->loaded, LABEL_SYMBOL,
                          key->value[LABEL_SYMBOL], key->unnamed);
    file = strndup(whole, (size_t)(name - whole) - 1);
    text = file ? format_text("%s [%s]", name, without_path(file)) : NULL;
    free(file);
    return text;
}

char *flat_symbol(const struct report *report, const struct profile *profile,
                  const struct row_key *key)
{
    const char *image = image_told(report, key);
    char *symbol, *text;

    if ( key->area )
        return strdup(area_text((enum area)key->area));
    symbol = own_name(report, profile, key);
    if ( !symbol || !image )
        return symbol;
    text = format_text("%s [%s]", symbol, image);
    free(symbol);
    return text;
}
