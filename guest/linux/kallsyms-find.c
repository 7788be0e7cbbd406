/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kallsyms-inside.h"

#define MIB            (1024ll * 1024)
#define KERNEL_LOWEST  0xffffffff80000000ull
#define KERNEL_HIGHEST 0xffffffffc0000000ull
#define LARGE_PAGE     (2 * MIB)
#define RUNS_MAX       256u /* that turned out to be something else */

/* Where to look, nearest first.  A table has 4 bytes for each symbol, so one
 * of 65536, as distributions have, is not missed at the first try, and one of
 * 16384 not at the second; .rodata lies above the code. */
static const struct {
    int64_t from, to; /* from the address; 0, 0: everywhere */
    uint32_t stride;
} reaches[] = {
    {0, 64 * MIB, 256 * 1024}, {0, 64 * MIB, 64 * 1024},
    {-64 * MIB, 0, 64 * 1024}, {0, 64 * MIB, 8 * 1024},
    {-64 * MIB, 0, 8 * 1024},  {0, 0, 64 * 1024},
};

struct search {
    struct guest_memory *memory;
    uint64_t skip_from, skip_to; /* known to be none */
    unsigned int runs;
    enum kernel_code worst;
};

static enum kernel_code look_closer(struct search *search, uint64_t address,
                                    enum kallsyms_encoding encoding,
                                    struct kallsyms **ret)
{
    struct kallsyms_run run;
    enum kernel_code code;

    code = kallsyms_measure(search->memory, address, encoding, &run);
    if ( !code )
    {
        search->runs++;
        search->skip_from = run.start;
        search->skip_to = run.end;
        code = kallsyms_read(search->memory, &run, ret);
    }
    if ( code == KERNEL_DAMAGED )
        search->worst = code;
    return code == KERNEL_DAMAGED ? KERNEL_UNKNOWN : code;
}

/* Looks at one place.  Moves address to where it may be worth to look on. */
static enum kernel_code look_at(struct search *search, uint64_t *address,
                                struct kallsyms **ret)
{
    enum kernel_code code = KERNEL_UNKNOWN;
    enum kallsyms_encoding encoding;
    uint32_t values[16];

    if ( *address >= search->skip_from && *address < search->skip_to )
        return KERNEL_UNKNOWN;
    if ( !guest_memory_get(search->memory, *address, values, sizeof(values)) )
    {
        if ( !search->memory->left )
            return KERNEL_BUDGET;
        *address = *address | (LARGE_PAGE - 1);
        return KERNEL_UNKNOWN;
    }
    for ( encoding = 0; encoding < KALLSYMS_ENCODINGS; encoding++ )
        if ( code == KERNEL_UNKNOWN && kallsyms_may_be(encoding, values) &&
             search->runs < RUNS_MAX )
            code = look_closer(search, *address, encoding, ret);
    return code;
}

static enum kernel_code look_around(struct search *search, uint64_t from,
                                    uint64_t to, uint32_t stride,
                                    struct kallsyms **ret)
{
    enum kernel_code code = KERNEL_UNKNOWN;
    uint64_t at = from & ~(uint64_t)(stride - 1);

    while ( code == KERNEL_UNKNOWN && at < to )
    {
        code = look_at(search, &at, ret);
        at = (at + stride) & ~(uint64_t)(stride - 1);
    }
    return code;
}

enum kernel_code kallsyms_find(struct guest_memory *memory, uint64_t address,
                               struct kallsyms **ret)
{
    struct search search = {.memory = memory, .worst = KERNEL_UNKNOWN};
    enum kernel_code code = KERNEL_UNKNOWN;
    bool inside = address >= KERNEL_LOWEST && address < KERNEL_HIGHEST;
    size_t i;

    for ( i = 0; i < sizeof(reaches) / sizeof(reaches[0]); i++ )
    {
        uint64_t from = address + (uint64_t)reaches[i].from;
        uint64_t to = address + (uint64_t)reaches[i].to;
        bool everywhere = !reaches[i].from && !reaches[i].to;

        if ( !inside && !everywhere )
            continue;
        if ( everywhere || from < KERNEL_LOWEST )
            from = KERNEL_LOWEST;
        if ( everywhere || to > KERNEL_HIGHEST )
            to = KERNEL_HIGHEST;
        code = look_around(&search, from, to, reaches[i].stride, ret);
        if ( code != KERNEL_UNKNOWN )
            return code;
    }
    return search.worst;
}
