/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes a kernel's memory for the offsets of its symbols. */
#include "kallsyms-find.h"

#include "kallsyms-read.h"

#define MIB            (1024ll * 1024)
#define KERNEL_LOWEST  0xffffffff80000000ull
#define KERNEL_HIGHEST 0xffffffffc0000000ull
#define LARGE_PAGE     (2 * MIB)
#define RUNS_MAX       256u /* that turned out to be something else */
/* No kernel that has kallsyms is smaller, from its code to its data. */
#define KERNEL_SIZE_MIN (8 * MIB)

/* Where to look, nearest first; .rodata lies above the code.  A table has 4
 * bytes for each symbol, so the first try does not miss one of 131072, as
 * distributions have, nor the third one of 16384. */
static const struct {
    int64_t from, to; /* from the address; 0, 0: everywhere */
    uint32_t stride;
} reaches[] = {
    {0, 64 * MIB, 512 * 1024}, {0, 64 * MIB, 256 * 1024},
    {0, 64 * MIB, 64 * 1024},  {-64 * MIB, 0, 64 * 1024},
    {0, 64 * MIB, 8 * 1024},   {-64 * MIB, 0, 8 * 1024},
    {0, 0, 512 * 1024},        {0, 0, 64 * 1024},
};

struct run_search {
    struct guest_memory *memory;
    uint64_t skip_from, skip_to; /* a run that was something else */
    unsigned int runs;
    enum kernel_status worst;
};

static enum kernel_status look_closer(struct run_search *search,
                                      uint64_t address,
                                      enum offset_encoding encoding,
                                      struct kallsyms **ret)
{
    struct offset_run run;
    enum kernel_status status;

    status = offset_run_measure(search->memory, address, encoding, &run);
    if ( !status )
    {
        search->runs++;
        search->skip_from = run.start;
        search->skip_to = run.end;
        status = kallsyms_read(search->memory, &run, ret);
    }
    if ( status == KERNEL_DAMAGED )
        search->worst = status;
    return status == KERNEL_DAMAGED ? KERNEL_UNKNOWN : status;
}

/* Looks at *address, and moves it behind what need not be looked at. */
static enum kernel_status look_for_kallsyms_at(struct run_search *search,
                                               uint64_t *address,
                                               struct kallsyms **ret)
{
    enum kernel_status status = KERNEL_UNKNOWN;
    enum offset_encoding encoding;
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
    for ( encoding = 0; encoding < OFFSET_ENCODINGS; encoding++ )
        if ( status == KERNEL_UNKNOWN && offsets_may_be(encoding, values) &&
             search->runs < RUNS_MAX )
            status = look_closer(search, *address, encoding, ret);
    return status;
}

static enum kernel_status look_around(struct run_search *search, uint64_t from,
                                      uint64_t to, uint32_t stride,
                                      struct kallsyms **ret)
{
    enum kernel_status status = KERNEL_UNKNOWN;
    uint64_t at = from & ~(uint64_t)(stride - 1);

    while ( status == KERNEL_UNKNOWN && at < to )
    {
        status = look_for_kallsyms_at(search, &at, ret);
        at = (at + stride) & ~(uint64_t)(stride - 1);
    }
    return status;
}

/* Returns the first address of some steps, each as long as the smallest kernel,
 * that can be read, or 0 if none can.  Where the kernel lies is chosen at boot:
 * to look at each large page from the lowest on would be some hundred reads for
 * an address in a module, which says nothing of it. */
static uint64_t find_mapped(struct guest_memory *memory)
{
    uint64_t at;
    uint8_t byte;

    for ( at = KERNEL_LOWEST; at < KERNEL_HIGHEST; at += KERNEL_SIZE_MIN )
        if ( guest_memory_get(memory, at, &byte, sizeof(byte)) )
            return at;
    return 0;
}

static bool is_inside(uint64_t address)
{
    return address >= KERNEL_LOWEST && address < KERNEL_HIGHEST;
}

enum kernel_status kallsyms_find(struct guest_memory *memory, uint64_t address,
                                 struct kallsyms **ret)
{
    struct run_search search = {.memory = memory, .worst = KERNEL_UNKNOWN};
    enum kernel_status status = KERNEL_UNKNOWN;
    size_t i;

    if ( !is_inside(address) )
        address = find_mapped(memory);
    for ( i = 0; i < sizeof(reaches) / sizeof(reaches[0]); i++ )
    {
        uint64_t from = address + (uint64_t)reaches[i].from;
        uint64_t to = address + (uint64_t)reaches[i].to;
        bool everywhere = !reaches[i].from && !reaches[i].to;

        if ( !is_inside(address) && !everywhere )
            continue;
        if ( everywhere || from < KERNEL_LOWEST )
            from = KERNEL_LOWEST;
        if ( everywhere || to > KERNEL_HIGHEST )
            to = KERNEL_HIGHEST;
        status = look_around(&search, from, to, reaches[i].stride, ret);
        if ( status != KERNEL_UNKNOWN )
            return status;
    }
    return search.worst;
}
