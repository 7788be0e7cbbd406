/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a session says of itself, as other tools are given it. */
#include "export-walk.h"

#include "base/must.h"
#include "libxenoprof/session/session-attributes.h"
#include "report/model/format.h"
#include "report/model/kernel-attribute.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The build-id of all kernels, if that is one. */
static char *kernels_build_id(const struct loaded *loaded)
{
    struct kernel_attribute attribute;
    char *known = NULL;
    bool one = true;

    for ( uint32_t i = DOMAIN_INDEX_IDLE + 1; i < loaded->domains.count; i++ )
    {
        const char *id;

        if ( !kernel_attribute_read(loaded, i, &attribute) )
            continue;
        id = attribute.value[KERNEL_BUILD_ID];
        one &= id && (!known || !strcmp(known, id));
        if ( id && !known )
            known = must(strdup(id));
        kernel_attribute_free(&attribute);
    }
    if ( one )
        return known;
    free(known);
    return NULL;
}

char *walk_build_id(const struct export_walk *walk, uint32_t image,
                    unsigned int mode)
{
    const char *name = names_text(&walk->loaded->names, image);
    const char *xen;

    if ( mode == XENOPROF_MODE_XEN && !strcmp(name, "xen") )
    {
        xen = loaded_attribute(walk->loaded, SESSION_ATTRIBUTE_BUILD_ID);
        return xen ? must(strdup(xen)) : NULL;
    }
    return mode == XENOPROF_MODE_KERNEL && !strcmp(name, "kernel")
               ? kernels_build_id(walk->loaded)
               : NULL;
}

char *walk_mapping_name(const struct export_walk *walk,
                        const struct walk_mapping *mapping)
{
    const char *image = names_text(&walk->loaded->names, mapping->key.image);

    return mapping->key.mode == XENOPROF_MODE_USER ? must(strdup(image))
                                                   : must_text("[%s]", image);
}

size_t walk_types(const struct export_walk *walk,
                  uint32_t ret[XENOPROF_TYPES_MAX])
{
    const struct types *types = &walk->loaded->types;
    size_t count = 0;

    for ( uint32_t i = 0; i < XENOPROF_TYPES_MAX; i++ )
        if ( types->type[i].samples || i == types->shown )
            ret[count++] = i;
    return count;
}

const char *walk_unit(const struct sample_type *type)
{
    return strcmp(type->unit, "ns") ? type->unit : "nanoseconds";
}

uint64_t walk_period(const struct export_walk *walk)
{
    const struct loaded *loaded = walk->loaded;
    const char *frequency = loaded_attribute(loaded,
                                             SESSION_ATTRIBUTE_FREQUENCY);
    const uint64_t hertz = frequency ? strtoull(frequency, NULL, 10) : 0;

    if ( !types_is_time(&loaded->types) )
        return types_shown(&loaded->types)->period;
    return hertz ? NS_PER_S / hertz : 0;
}

bool walk_is_ns(const struct export_walk *walk)
{
    return !strcmp(types_shown(&walk->loaded->types)->unit, "ns");
}

static char *attribute_comment(const struct export_walk *walk, const char *key,
                               const char *what)
{
    const char *value = loaded_attribute(walk->loaded, key);

    return must_text("%s: %s", what, value ? value : "not known");
}

char *walk_comment(const struct export_walk *walk, unsigned int number)
{
    const struct loaded *loaded = walk->loaded;

    switch ( number )
    {
    case 0: return attribute_comment(walk, SESSION_ATTRIBUTE_HOST, "host");
    case 1: return attribute_comment(walk, SESSION_ATTRIBUTE_XEN, "Xen");
    case 2:
        return must_text("samples of the whole session: %" PRIu64
                         " made, %" PRIu64 " read, %" PRIu64 " lost",
                         loaded_made(loaded), loaded->read,
                         loaded_lost_all(loaded));
    case 3:
        return must_text("time is as Xen accounts for it; %" PRIu64
                         " ns of it have no sample",
                         loaded->unsampled);
    default: return NULL;
    }
}
