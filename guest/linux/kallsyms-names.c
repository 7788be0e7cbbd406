/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads names until there are enough of them: nothing says how long they
 * are together. */
#include "kallsyms-names.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

#define CHUNK          (128u * 1024)
#define NAMES_SIZE_MAX (32u * 1024 * 1024)

static uint32_t count_blocks(const struct kallsyms *kallsyms)
{
    return (kallsyms->count + KALLSYMS_BLOCK - 1) / KALLSYMS_BLOCK;
}

struct names_walk {
    VECTOR(uint8_t); /* bytes that are read */
    uint32_t *markers;
    uint32_t at;     /* bytes walked */
    uint32_t done;   /* names walked */
    uint32_t wanted; /* names */
};

/* Walks as far as the bytes go.  Returns false if they are not names. */
static bool walk_names(struct names_walk *names)
{
    const uint8_t *end = names->items + names->count;

    while ( names->done < names->wanted )
    {
        const uint8_t *at = names->items + names->at;
        uint32_t length, head = tokens_length(at, end, &length);

        if ( !head )
            return end - at < 2;
        if ( length >= KALLSYMS_NAME_MAX )
            return false;
        if ( length > (size_t)(end - at) - head )
            break;
        if ( names->done % KALLSYMS_BLOCK == 0 )
            names->markers[names->done / KALLSYMS_BLOCK] = names->at;
        names->at += head + length;
        names->done++;
    }
    return true;
}

static enum kernel_status read_more(struct names_walk *names,
                                    struct guest_memory *memory,
                                    uint64_t address)
{
    size_t got;

    if ( names->count > NAMES_SIZE_MAX - CHUNK )
        return KERNEL_UNKNOWN;
    if ( !vector_reserve(names, CHUNK) )
        return KERNEL_NO_MEMORY;
    got = guest_memory_read(memory, address + names->count,
                            names->items + names->count, CHUNK);
    names->count += got;
    if ( got )
        return KERNEL_OK;
    return memory->left ? KERNEL_UNKNOWN : KERNEL_BUDGET;
}

enum kernel_status kallsyms_read_names(struct kallsyms *kallsyms,
                                       struct guest_memory *memory,
                                       uint64_t address)
{
    struct names_walk names = {.wanted = kallsyms->count};
    enum kernel_status status = KERNEL_OK;
    uint8_t *less;

    kallsyms->markers = calloc(count_blocks(kallsyms),
                               sizeof(*kallsyms->markers));
    if ( !kallsyms->markers )
        return KERNEL_NO_MEMORY;
    names.markers = kallsyms->markers;
    while ( !status && names.done < names.wanted )
    {
        status = read_more(&names, memory, address);
        if ( !status && !walk_names(&names) )
            status = KERNEL_UNKNOWN;
    }
    if ( status )
    {
        vector_free(&names);
        kallsyms_drop_names(kallsyms);
        return status;
    }
    /* Without what was read behind them. */
    less = realloc(names.items, names.at);
    kallsyms->names = less ? less : names.items;
    kallsyms->names_size = names.at;
    return KERNEL_OK;
}

void kallsyms_drop_names(struct kallsyms *kallsyms)
{
    free(kallsyms->names);
    free(kallsyms->markers);
    kallsyms->names = NULL;
    kallsyms->markers = NULL;
}

bool kallsyms_check_markers(const struct kallsyms *kallsyms,
                            struct guest_memory *memory, uint64_t address,
                            uint32_t width, uint64_t *end)
{
    uint32_t blocks = count_blocks(kallsyms);
    uint8_t bytes[256];
    uint32_t i, per_read = sizeof(bytes) / width;
    uint64_t marker = 0;

    for ( i = 0; i < blocks; i++ )
    {
        uint32_t left = blocks - i < per_read ? blocks - i : per_read;

        if ( i % per_read == 0 &&
             !guest_memory_get(memory, address + (uint64_t)i * width, bytes,
                               (size_t)left * width) )
            return false;
        memcpy(&marker, bytes + i % per_read * width, width);
        if ( marker != kallsyms->markers[i] )
            return false;
    }
    *end = address + (uint64_t)blocks * width;
    return true;
}
