/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf-unwind.h"

#include "base/must.h"
#include "base/scope.h"

#include <asm/perf_regs.h>
#include <stdlib.h>

#define SPACES_KEPT 16u /* processes that run in turn */

struct perf_walkable {
    uint64_t number; /* of the space; 0: none */
    uint64_t used;   /* when, as turns count */
    struct user_space *space;
};

struct perf_unwinder {
    struct perf_files *files;
    struct row_cache *cache;
    uint64_t turn;
    struct perf_walkable kept[SPACES_KEPT];
};

struct perf_unwinder *perf_unwinder_open(struct perf_files *files)
{
    struct perf_unwinder *unwinder = must(calloc(1, sizeof(*unwinder)));

    unwinder->files = files;
    unwinder->cache = must(row_cache_open());
    return unwinder;
}

void perf_unwinder_close(struct perf_unwinder *unwinder)
{
    if ( !unwinder )
        return;
    for ( unsigned int i = 0; i < SPACES_KEPT; i++ )
        user_space_close(unwinder->kept[i].space);
    row_cache_close(unwinder->cache);
    free(unwinder);
}

static struct user_space *make_walkable(const struct perf_unwinder *unwinder,
                                        const struct perf_space *space)
{
    struct user_mapping *mappings SCOPE_FREE = must(
        calloc(space->maps.count + 1, sizeof(*mappings)));
    size_t count = 0;

    for ( size_t i = 0; i < space->maps.count; i++ )
    {
        const struct perf_data_map *map = &space->maps.items[i];
        const struct row_table *rows;

        if ( map->end > USER_SPACE_END )
            break;
        rows = perf_files_rows(unwinder->files, map->file);
        mappings[count] = (struct user_mapping){map->start, map->end, 0, NULL};
        if ( rows )
            user_mapping_bind(&mappings[count], rows, map->offset);
        count++;
    }
    return user_space_open(mappings, count);
}

/* The space that was used longest ago gives way. */
static const struct user_space *walkable(struct perf_unwinder *unwinder,
                                         const struct perf_space *space)
{
    struct perf_walkable *oldest = &unwinder->kept[0];

    unwinder->turn++;
    for ( unsigned int i = 0; i < SPACES_KEPT; i++ )
    {
        struct perf_walkable *kept = &unwinder->kept[i];

        if ( kept->number == space->number )
        {
            kept->used = unwinder->turn;
            return kept->space;
        }
        if ( kept->used < oldest->used )
            oldest = kept;
    }
    user_space_close(oldest->space);
    *oldest = (struct perf_walkable){.number = space->number,
                                     .used = unwinder->turn,
                                     .space = make_walkable(unwinder, space)};
    return oldest->space;
}

/* Returns a register's value, or 0 and *has is false if it was not taken. */
static uint64_t register_value(const struct perf_data_sample *sample,
                               unsigned int number, bool *has)
{
    const uint64_t mask = sample->event->attr.sample_regs_user;
    const size_t index = (size_t)__builtin_popcountll(mask &
                                                      ((1ull << number) - 1));
    uint64_t value = 0;

    if ( !(mask & 1ull << number) ||
         (index + 1) * sizeof(value) > cursor_left(&sample->registers) )
    {
        *has = false;
        return 0;
    }
    memcpy(&value, sample->registers.at + index * sizeof(value), sizeof(value));
    return value;
}

/* A walk needs ip, sp and bp; rows of some functions ask for others. */
static bool take_registers(const struct perf_data_sample *sample, uint64_t *ip,
                           struct xenoprof_registers *ret)
{
    bool has = true, other = true;

    *ip = register_value(sample, PERF_REG_X86_IP, &has);
    *ret = (struct xenoprof_registers){
        .rax = register_value(sample, PERF_REG_X86_AX, &other),
        .rbx = register_value(sample, PERF_REG_X86_BX, &other),
        .rcx = register_value(sample, PERF_REG_X86_CX, &other),
        .rdx = register_value(sample, PERF_REG_X86_DX, &other),
        .rsi = register_value(sample, PERF_REG_X86_SI, &other),
        .rdi = register_value(sample, PERF_REG_X86_DI, &other),
        .rbp = register_value(sample, PERF_REG_X86_BP, &has),
        .rsp = register_value(sample, PERF_REG_X86_SP, &has),
        .r8 = register_value(sample, PERF_REG_X86_R8, &other),
        .r9 = register_value(sample, PERF_REG_X86_R9, &other),
        .r10 = register_value(sample, PERF_REG_X86_R10, &other),
        .r11 = register_value(sample, PERF_REG_X86_R11, &other),
        .r12 = register_value(sample, PERF_REG_X86_R12, &other),
        .r13 = register_value(sample, PERF_REG_X86_R13, &other),
        .r14 = register_value(sample, PERF_REG_X86_R14, &other),
        .r15 = register_value(sample, PERF_REG_X86_R15, &other),
    };
    return has;
}

bool perf_unwind(struct perf_unwinder *unwinder, const struct perf_space *space,
                 const struct perf_data_sample *sample, struct user_chain *ret)
{
    struct xenoprof_registers registers;
    struct user_start start = {
        .registers = &registers,
        .window = {.bytes = sample->stack.at,
                   .length = cursor_left(&sample->stack)}};
    const struct user_space *walked;

    if ( !space || !take_registers(sample, &start.ip, &registers) )
        return false;
    walked = walkable(unwinder, space);
    if ( !walked )
        return false;
    start.window.address = registers.rsp;
    user_walk(unwinder->cache, walked, &start, ret);
    return ret->count;
}
