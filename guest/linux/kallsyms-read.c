/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the tables that lie next to a run of offsets, in each known order. */
#include "kallsyms-read.h"

#include <stdlib.h>

#include "kallsyms-names.h"

#define KERNEL_LOWEST   0xffffffff80000000ull
#define KERNEL_HIGHEST  0xffffffffc0000000ull
#define INDEX_SIZE      512u
#define LAST_BLOCK_MAX  16384u /* bytes of the last 256 names, about */
#define MARKERS_AT_ONCE 64u
#define BLOCKS_MAX      (OFFSETS_MAX / KALLSYMS_BLOCK)

/* Returns why something could not be read. */
static enum kernel_status unread(const struct guest_memory *memory)
{
    return memory->left ? KERNEL_UNKNOWN : KERNEL_BUDGET;
}

static bool may_be_base(uint64_t base)
{
    return base >= KERNEL_LOWEST && base < KERNEL_HIGHEST && !(base & 0xfff);
}

/*
 * The order of the tables before v6.4: offsets, base, count, names, markers, an
 * index by name, tokens.
 *
 * Markers had 8 bytes before Linux commit 80ffbaa5b1bd ("kallsyms: reduce size
 * a little on 64-bit") (v4.20).  The index by name, of 4 bytes for each symbol,
 * came with 60443c88f3a8 ("kallsyms: Improve the performance of
 * kallsyms_lookup_name()") (v6.2), and has 3 since 19bd8981dc2e ("kallsyms:
 * Reduce the memory occupied by kallsyms_seqs_of_names[]") (v6.2).
 */
static enum kernel_status read_old_tokens(struct guest_memory *memory,
                                          struct kallsyms *kallsyms,
                                          uint64_t names)
{
    static const uint32_t index_widths[] = {0, 3, 4};
    uint64_t markers = tokens_align(names + kallsyms->names_size, 8);
    uint64_t end;
    size_t i;

    if ( !kallsyms_check_markers(kallsyms, memory, markers, 4, &end) &&
         !kallsyms_check_markers(kallsyms, memory, markers, 8, &end) )
        return memory->left ? KERNEL_DAMAGED : KERNEL_BUDGET;
    end = tokens_align(end, 8);
    for ( i = 0; i < sizeof(index_widths) / sizeof(index_widths[0]); i++ )
        if ( tokens_read(
                 memory,
                 tokens_align(end + (uint64_t)kallsyms->count * index_widths[i],
                              8),
                 &kallsyms->tokens) )
            return KERNEL_OK;
    return memory->left ? KERNEL_DAMAGED : KERNEL_BUDGET;
}

static enum kernel_status read_old_order(struct guest_memory *memory,
                                         struct offset_run *run,
                                         struct kallsyms *kallsyms)
{
    uint64_t at = tokens_align(run->end, 8);
    uint64_t head[2]; /* base, count */
    enum kernel_status status;

    if ( run->encoding == OFFSET_FROM_SELF )
        return KERNEL_UNKNOWN;
    if ( !guest_memory_get(memory, at, head, sizeof(head)) )
        return unread(memory);
    if ( !may_be_base(head[0]) || head[1] < KALLSYMS_BLOCK ||
         head[1] > (run->end - run->start) / 4 )
        return KERNEL_UNKNOWN;
    kallsyms->base = head[0];
    kallsyms->count = (uint32_t)head[1];
    run->start = run->end - 4 * head[1];
    status = kallsyms_read_names(kallsyms, memory, at + sizeof(head));
    return status ? status
                  : read_old_tokens(memory, kallsyms, at + sizeof(head));
}

struct marker_run {
    uint64_t address;
    uint32_t blocks;
    uint32_t last;
};

/* Finds the markers that end at address: numbers that fall, read backwards, to
 * 0.  The words before them, the names, are more than are read at once. */
static bool find_markers(struct guest_memory *memory, uint64_t end,
                         struct marker_run *ret)
{
    uint32_t words[MARKERS_AT_ONCE] = {0}, value, last = UINT32_MAX, blocks;

    /* An odd number of markers has 4 bytes behind it. */
    if ( !guest_memory_get(memory, end - 4, &value, sizeof(value)) )
        return false;
    end -= value ? 0 : 4;
    for ( blocks = 1; blocks <= BLOCKS_MAX; blocks++, last = value )
    {
        uint32_t after = (blocks - 1) % MARKERS_AT_ONCE;

        if ( !after && !guest_memory_get(
                           memory, end - 4ull * (blocks - 1) - sizeof(words),
                           words, sizeof(words)) )
            return false;
        value = words[MARKERS_AT_ONCE - 1 - after];
        if ( value >= last )
            return false;
        ret->last = blocks == 1 ? value : ret->last;
        if ( value )
            continue;
        ret->address = end - 4ull * blocks;
        ret->blocks = blocks;
        return true;
    }
    return false;
}

/* Tries names at `at`: count stands before them, and the markers start where
 * they end. */
static enum kernel_status try_names(struct guest_memory *memory, uint64_t at,
                                    const struct marker_run *markers,
                                    struct kallsyms *kallsyms)
{
    enum kernel_status status = kallsyms_read_names(kallsyms, memory, at);
    uint64_t end;

    if ( status )
        return status;
    end = at + kallsyms->names_size;
    if ( (tokens_align(end, 4) == markers->address ||
          tokens_align(end, 8) == markers->address) &&
         kallsyms_check_markers(kallsyms, memory, markers->address, 4, &end) )
        return KERNEL_OK;
    kallsyms_drop_names(kallsyms);
    return memory->left ? KERNEL_UNKNOWN : KERNEL_BUDGET;
}

/* The markers give the number of names, to within 255, and the length of all
 * blocks but the last. */
static enum kernel_status find_names(struct guest_memory *memory,
                                     const struct marker_run *markers,
                                     struct kallsyms *kallsyms)
{
    uint32_t words[LAST_BLOCK_MAX / 4];
    uint64_t highest = (markers->address - markers->last - 2) & ~3ull;
    uint64_t lowest = highest - sizeof(words);
    uint32_t most = markers->blocks * KALLSYMS_BLOCK, i;
    enum kernel_status status = KERNEL_UNKNOWN;

    if ( !guest_memory_get(memory, lowest, words, sizeof(words)) )
        return unread(memory);
    for ( i = LAST_BLOCK_MAX / 4; i >= 2 && status == KERNEL_UNKNOWN; i-- )
    {
        /* kallsyms_num_syms precedes the names: directly, or with 4 bytes of
         * padding between, before v7.0. */
        kallsyms->count = words[i - 1] ? words[i - 1] : words[i - 2];
        if ( kallsyms->count > most ||
             kallsyms->count + KALLSYMS_BLOCK <= most )
            continue;
        status = try_names(memory, lowest + 4 * i, markers, kallsyms);
    }
    return status;
}

/*
 * Since Linux commit 404bad70fcf7 ("scripts/kallsyms: change the output
 * order") (v6.4): count, names, markers, tokens, offsets, base, index by name.
 * a081b5789255 ("kallsyms: Get rid of kallsyms relative base") (v7.0) dropped
 * the base, and the padding of tables to multiples of 8.
 */
static enum kernel_status read_new_order(struct guest_memory *memory,
                                         struct offset_run *run,
                                         struct kallsyms *kallsyms)
{
    struct marker_run markers;
    enum kernel_status status;
    uint64_t tokens = tokens_read_before(memory, run->start - INDEX_SIZE,
                                         &kallsyms->tokens);

    if ( !tokens )
        return unread(memory);
    if ( !find_markers(memory, tokens, &markers) )
        return memory->left ? KERNEL_DAMAGED : KERNEL_BUDGET;
    status = find_names(memory, &markers, kallsyms);
    if ( status )
        return status == KERNEL_UNKNOWN ? KERNEL_DAMAGED : status;
    if ( kallsyms->count > (run->end - run->start) / 4 )
        return KERNEL_DAMAGED;
    run->end = run->start + 4ull * kallsyms->count;
    if ( run->encoding == OFFSET_FROM_SELF )
        return KERNEL_OK;
    if ( !guest_memory_get(memory, tokens_align(run->end, 8), &kallsyms->base,
                           sizeof(kallsyms->base)) )
        return unread(memory);
    return may_be_base(kallsyms->base) ? KERNEL_OK : KERNEL_UNKNOWN;
}

/* Makes all offsets distances from the base.  Returns false if they are not
 * sorted. */
static bool decode_offsets(struct kallsyms *kallsyms,
                           const struct offset_run *run)
{
    uint32_t *offsets = kallsyms->offsets;
    int32_t origin = (int32_t)offsets[0];
    uint32_t i;

    if ( run->encoding == OFFSET_FROM_SELF )
        kallsyms->base = run->start + (uint64_t)(int64_t)origin;
    for ( i = 0; i < kallsyms->count; i++ )
    {
        if ( run->encoding == OFFSET_FROM_SELF )
            offsets[i] += 4 * i - (uint32_t)origin;
        else if ( run->encoding == OFFSET_PER_CPU )
        {
            kallsyms->first += (int32_t)offsets[i] >= 0;
            offsets[i] = ~offsets[i];
        }
        if ( i > kallsyms->first && offsets[i] < offsets[i - 1] )
            return false;
    }
    return kallsyms->first < kallsyms->count && may_be_base(kallsyms->base) &&
           offsets[kallsyms->count - 1] < KERNEL_HIGHEST - KERNEL_LOWEST;
}

static enum kernel_status read_offsets(struct guest_memory *memory,
                                       const struct offset_run *run,
                                       struct kallsyms *kallsyms)
{
    size_t size = 4ull * kallsyms->count;

    kallsyms->offsets = malloc(size);
    if ( !kallsyms->offsets )
        return KERNEL_NO_MEMORY;
    if ( !guest_memory_get(memory, run->start, kallsyms->offsets, size) )
        return unread(memory);
    return decode_offsets(kallsyms, run) ? KERNEL_OK : KERNEL_DAMAGED;
}

enum kernel_status kallsyms_read(struct guest_memory *memory,
                                 const struct offset_run *run,
                                 struct kallsyms **ret)
{
    struct offset_run part = *run;
    struct kallsyms *kallsyms = calloc(1, sizeof(*kallsyms));
    enum kernel_status status;

    if ( !kallsyms )
        return KERNEL_NO_MEMORY;
    status = read_old_order(memory, &part, kallsyms);
    if ( status == KERNEL_UNKNOWN )
        status = read_new_order(memory, &part, kallsyms);
    if ( !status )
        status = read_offsets(memory, &part, kallsyms);
    if ( status )
        kallsyms_close(kallsyms);
    else
        *ret = kallsyms;
    return status;
}
