/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kallsyms-inside.h"

#include <stdlib.h>

#define CHUNK          (128u * 1024)
#define NAMES_SIZE_MAX (32u * 1024 * 1024)

struct names_walk {
    struct kallsyms *kallsyms;
    uint32_t room;
    uint32_t have; /* bytes read */
    uint32_t at;   /* bytes walked */
    uint32_t done; /* names walked */
};

/* Walks as far as the bytes go.  False: that is no list of names. */
static bool walk(struct names_walk *names)
{
    struct kallsyms *kallsyms = names->kallsyms;
    const uint8_t *end = kallsyms->names + names->have;

    while ( names->done < kallsyms->count )
    {
        const uint8_t *at = kallsyms->names + names->at;
        uint32_t length, head = kallsyms_length(at, end, &length);

        if ( !head )
            return end - at < 2;
        if ( length >= KALLSYMS_NAME_MAX )
            return false;
        if ( length > (size_t)(end - at) - head )
            break;
        if ( names->done % KALLSYMS_BLOCK == 0 )
            kallsyms->markers[names->done / KALLSYMS_BLOCK] = names->at;
        names->at += head + length;
        names->done++;
    }
    return true;
}

static enum kernel_code read_more(struct names_walk *names,
                                  struct guest_memory *memory, uint64_t address)
{
    uint8_t *bytes = names->kallsyms->names;
    uint32_t got;

    if ( names->room - names->have < CHUNK )
    {
        names->room = names->room ? names->room * 2 : 4 * CHUNK;
        if ( names->room > NAMES_SIZE_MAX )
            return KERNEL_UNKNOWN;
        bytes = realloc(bytes, names->room);
        if ( !bytes )
            return KERNEL_NO_MEMORY;
        names->kallsyms->names = bytes;
    }
    got = (uint32_t)guest_memory_read(memory, address + names->have,
                                      bytes + names->have, CHUNK);
    names->have += got;
    return got ? KERNEL_OK : kallsyms_unread(memory);
}

static void drop_names(struct kallsyms *kallsyms)
{
    free(kallsyms->names);
    free(kallsyms->markers);
    kallsyms->names = NULL;
    kallsyms->markers = NULL;
}

/* What was read too much goes. */
static void shrink(struct kallsyms *kallsyms, uint32_t size)
{
    uint8_t *less = realloc(kallsyms->names, size);

    if ( less )
        kallsyms->names = less;
    kallsyms->names_size = size;
}

enum kernel_code kallsyms_read_names(struct guest_memory *memory,
                                     uint64_t address,
                                     struct kallsyms *kallsyms)
{
    struct names_walk names = {.kallsyms = kallsyms};
    enum kernel_code code = KERNEL_OK;
    size_t blocks = (kallsyms->count + KALLSYMS_BLOCK - 1) / KALLSYMS_BLOCK;

    kallsyms->markers = calloc(blocks, sizeof(*kallsyms->markers));
    if ( !kallsyms->markers )
        return KERNEL_NO_MEMORY;
    while ( !code && names.done < kallsyms->count )
    {
        code = read_more(&names, memory, address);
        if ( !code && !walk(&names) )
            code = KERNEL_UNKNOWN;
    }
    if ( code )
        drop_names(kallsyms);
    else
        shrink(kallsyms, names.at);
    return code;
}
