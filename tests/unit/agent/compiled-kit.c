/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compiled-kit.h"

#include "agent/trampolines.h"
#include "base/clock.h"

static uint64_t now(void)
{
    return clock_read(CLOCK_MONOTONIC_RAW);
}

struct row_table *kit_image_rows(uint64_t image)
{
    struct buffer bytes = {0};
    struct row_table *table = NULL;

    if ( image && trampolines_rows(image, &bytes) )
        table = row_table_get(bytes.bytes, bytes.used);
    if ( table )
        table->owned = bytes.bytes;
    else
        buffer_free(&bytes);
    return table;
}

unsigned int kit_bind_compiled(struct captured_space *space,
                               struct jit_names *jits)
{
    unsigned int bound = 0;

    for ( size_t i = 0; i < space->count; i++ )
    {
        const struct captured_mapping *mapping = &space->mappings[i];
        struct row_table *table = NULL;

        if ( !*mapping->path )
            table = kit_image_rows(
                jit_names_image(jits, space->pid, NULL, mapping->mapping.start,
                                mapping->mapping.end, now()));
        bound += table && capture_space_bind(space, i, table);
    }
    return bound;
}

const char *kit_compiled_name(struct jit_names *jits, pid_t pid,
                              uint64_t address)
{
    struct jit_found found;

    return jit_names_find(jits, pid, NULL, address, now(), &found) ? found.name
                                                                   : NULL;
}
