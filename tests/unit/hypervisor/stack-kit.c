/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "stack-kit.h"

#define BLOCK XENOPROF_UNWIND_BLOCK

static const struct xenoprof_unwind_state usual[KIT_FUNCTIONS] = {
    [KIT_UNKNOWN] = {.kind = XENOPROF_UNWIND_NONE},
    [KIT_LEAF] = {.kind = XENOPROF_UNWIND_RSP, .cfa = 8},
    [KIT_SMALL] = {.kind = XENOPROF_UNWIND_RSP, .cfa = 24},
    [KIT_SAVES] = {.kind = XENOPROF_UNWIND_RSP,
                   .cfa = 40,
                   .rbp_saved = XENOPROF_UNWIND_RBP_SAVED,
                   .rbp = -16},
    [KIT_LOSES] = {.kind = XENOPROF_UNWIND_RSP,
                   .cfa = 16,
                   .rbp_saved = XENOPROF_UNWIND_RBP_LOST},
    [KIT_FRAME] = {.kind = XENOPROF_UNWIND_RBP,
                   .cfa = 16,
                   .rbp_saved = XENOPROF_UNWIND_RBP_SAVED,
                   .rbp = -16},
    [KIT_ALIGNED] = {.kind = XENOPROF_UNWIND_DRAP,
                     .cfa = -8,
                     .rbp_saved = XENOPROF_UNWIND_RBP_SAVED},
    [KIT_ALIGNING] = {.kind = XENOPROF_UNWIND_R10},
    [KIT_REGS] = {.kind = XENOPROF_UNWIND_REGS,
                  .rbp_saved = XENOPROF_UNWIND_RBP_SAVED},
    [KIT_REGS_LATE] = {.kind = XENOPROF_UNWIND_REGS},
    [KIT_ENTRY] = {.kind = XENOPROF_UNWIND_ENTRY, .cfa = -128},
    [KIT_ENTRY_LATE] = {.kind = XENOPROF_UNWIND_ENTRY,
                        .cfa = -16,
                        .rbp_saved = XENOPROF_UNWIND_RBP_SAVED},
    [KIT_ENTRY_ANY] = {.kind = XENOPROF_UNWIND_ENTRY,
                       .rbp_saved = XENOPROF_UNWIND_RBP_LOST},
    [KIT_FILLING] = {.kind = XENOPROF_UNWIND_RAX,
                     .rbp_saved = XENOPROF_UNWIND_RBP_SAVED},
};

uint64_t kit_in(unsigned int function)
{
    return KIT_TEXT + function * KIT_FUNCTION + KIT_FUNCTION / 2;
}

uint64_t kit_after(unsigned int function)
{
    return KIT_TEXT + (function + 1) * KIT_FUNCTION;
}

struct kit_table kit_table_at(void *bytes)
{
    struct xenoprof_unwind *head = bytes;
    unsigned char *start = bytes;

    return (struct kit_table){
        .head = head,
        .regions = (void *)(start + head->regions_at),
        .states = (void *)(start + head->states_at),
        .first_rows = (void *)(start + head->first_row_at),
        .rows = (void *)(start + head->rows_at),
    };
}

static uint32_t add_rows(const struct kit_table *table, uint32_t block,
                         uint32_t rows, uint32_t length)
{
    uint32_t at = block * BLOCK, end = at + BLOCK;
    uint32_t function = at / KIT_FUNCTION;

    table->first_rows[block] = rows;
    while ( at < end && at < length )
    {
        table->rows[rows++] = (struct xenoprof_unwind_row){
            .at = at % BLOCK,
            .state = function % KIT_FUNCTIONS,
        };
        at = ++function * KIT_FUNCTION;
    }
    return rows;
}

/* As many rows as there are functions, and one more where a block begins in
 * the middle of one. */
static uint32_t count_rows(uint32_t functions, uint32_t blocks)
{
    uint32_t rows = functions;

    for ( uint32_t block = 0; block < blocks; block++ )
        rows += block * BLOCK % KIT_FUNCTION != 0;
    return rows;
}

struct kit_table kit_table_make(unsigned int functions)
{
    uint32_t length = functions * KIT_FUNCTION;
    uint32_t blocks = (length + BLOCK - 1) / BLOCK;
    struct xenoprof_unwind head = {
        .magic = XENOPROF_UNWIND_MAGIC,
        .version = XENOPROF_UNWIND_VERSION,
        .regions = 1,
        .states = KIT_FUNCTIONS,
        .rows = count_rows(functions, blocks),
        .regions_at = sizeof(head),
    };
    struct kit_table table;

    head.states_at = head.regions_at + sizeof(*table.regions);
    head.first_row_at = head.states_at + sizeof(usual);
    head.rows_at = head.first_row_at + (blocks + 2) / 2 * 8;
    head.size = head.rows_at + head.rows * sizeof(*table.rows);
    table.head = calloc(1, head.size);
    if ( !table.head )
        abort();
    *table.head = head;
    table = kit_table_at(table.head);
    *table.regions = (struct xenoprof_unwind_region){.start = KIT_TEXT,
                                                     .length = length};
    memcpy(table.states, usual, sizeof(usual));
    for ( uint32_t block = 0, rows = 0; block < blocks; block++ )
    {
        rows = add_rows(&table, block, rows, length);
        table.first_rows[block + 1] = rows;
    }
    return table;
}

static const struct {
    unsigned long first, end; /* pages */
} spans[] = {{1, 2}, {2, 3}, {3, 4}, {4, 5}, {6, 8}};

struct kit_stack kit_stack_make(void)
{
    static unsigned char *area;
    struct process_pcpu *one = process_pcpu(0);
    struct kit_stack stack;

    if ( !area )
        area = mmap(NULL, 3 * KIT_STACK_SIZE, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if ( area == MAP_FAILED )
        abort();
    /* As Xen's are, so that bits of an address mean the same. */
    stack.start = ((uintptr_t)area + KIT_STACK_SIZE) & ~(KIT_STACK_SIZE - 1);
    stack.root = stack.start + KIT_STACK_SIZE - 264;
    for ( unsigned int i = 0; i < sizeof(spans) / sizeof(*spans); i++ )
    {
        void *low = (void *)(stack.start + spans[i].first * KIT_PAGE);
        unsigned long size = (spans[i].end - spans[i].first) * KIT_PAGE;

        if ( mprotect(low, size, PROT_READ | PROT_WRITE) )
            abort();
        memset(low, 0, size);
        one->stacks[i].low = (uintptr_t)low;
        one->stacks[i].high = (uintptr_t)low + size;
    }
    return stack;
}

void kit_put(uint64_t address, uint64_t value)
{
    *(uint64_t *)address = value;
}

struct kit_saved *kit_interrupted(uint64_t address, uint64_t ip, uint64_t sp)
{
    struct kit_saved *saved = (struct kit_saved *)address;

    *saved = (struct kit_saved){
        .ip = ip, .cs = KIT_XEN_CS, .flags = 0x246, .sp = sp};
    return saved;
}
