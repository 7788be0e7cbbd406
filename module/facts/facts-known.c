/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "facts-known.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *build_id;
    const char *facts;
} known[] = {
#define FACTS_KNOWN(build, build_id, facts) {build_id, facts},
#include "facts-known.def"
#undef FACTS_KNOWN
};

bool facts_known(const struct hypervisor_image *image,
                 struct xenoprof_facts *facts)
{
    char build_id[2 * IMAGE_BUILD_ID_MAX + 1] = "";

    for ( size_t i = 0; i < image->build_id_size; i++ )
        sprintf(build_id + 2 * i, "%02x", image->build_id[i]);

    for ( size_t i = 0; i < sizeof(known) / sizeof(*known); i++ )
        if ( !strcmp(known[i].build_id, build_id) )
        {
            facts_clear(facts);
            return !facts_set(facts, known[i].facts);
        }

    return false;
}
