/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPython's Python/perf_trampoline.c makes them, of Python/asm_trampoline.S. */
#include "trampolines.h"

#include <string.h>
#include <xenoprof/agent.h>

#include "rows/row-builder.h"

/* CPython fills so much memory at a time, from its first byte on. */
#define ARENA     ROW_PAGE
#define PAGES_MAX 16u   /* more functions than a map may have */
#define APART_MAX 4096u /* bytes from one to the next */

/* The code from byte `deep` up to `flat` has a word more on its stack, which is
 * the caller's rbp or nothing. */
struct trampoline_form {
    uint8_t size, deep, flat;
    bool saves_bp;
};

static const struct trampoline_form forms[] = {
    {11, 4, 10, false}, /* sub $8, %rsp; call *%rcx; add $8, %rsp; ret */
    {15, 8, 14, false}, /* the same behind endbr64 */
    {8, 1, 7, true},    /* push %rbp; mov %rsp, %rbp; call *%rcx; pop; ret */
    {12, 5, 11, true},
};

#define FORMS (sizeof(forms) / sizeof(forms[0]))

/* What an image's number says, but AGENT_IMAGE_NO_FILE. */
struct trampolines {
    uint32_t form, apart, pages;
};

/* The least distance between two of them; 0: there is only one. */
static uint64_t find_apart(const struct jit_function *functions, size_t count)
{
    uint64_t apart = 0;

    for ( size_t i = 1; i < count; i++ )
    {
        uint64_t next = functions[i].start - functions[i - 1].start;

        if ( next && (!apart || next < apart) )
            apart = next;
    }
    return apart;
}

/* Whether all are trampolines of that form, each where one may be. */
static bool all_fit(const struct jit_map *map,
                    const struct jit_function *functions, size_t count,
                    const struct trampolines *all, uint64_t start)
{
    for ( size_t i = 0; i < count; i++ )
        if ( functions[i].size != forms[all->form].size ||
             (functions[i].start - start) % ARENA % all->apart ||
             strncmp(jit_map_name(map, &functions[i]), "py::", 4) )
            return false;
    return true;
}

uint64_t trampolines_image(struct jit_map *map, uint64_t start, uint64_t end)
{
    const struct jit_function *functions;
    size_t count = jit_map_within(map, start, end, &functions);
    uint64_t apart = find_apart(functions, count);
    uint64_t pages = (end - start + ARENA - 1) / ARENA;
    struct trampolines all = {
        .apart = (uint32_t)(apart < APART_MAX ? apart : APART_MAX),
        .pages = (uint32_t)(pages < PAGES_MAX ? pages : PAGES_MAX)};

    if ( !apart )
        return 0;
    while ( all.form < FORMS && forms[all.form].size != functions[0].size )
        all.form++;
    if ( all.form == FORMS || all.apart < forms[all.form].size ||
         !all_fit(map, functions, count, &all, start) )
        return 0;
    return AGENT_IMAGE_NO_FILE | (uint64_t)all.apart << 16 | all.form << 8 |
           all.pages;
}

static bool understand(uint64_t image, struct trampolines *ret)
{
    *ret = (struct trampolines){.form = image >> 8 & 0xff,
                                .apart = image >> 16 & 0xffff,
                                .pages = image & 0xff};
    return image & AGENT_IMAGE_NO_FILE && ret->form < FORMS &&
           ret->apart >= forms[ret->form].size && ret->apart <= APART_MAX &&
           ret->pages && ret->pages <= PAGES_MAX;
}

static void add_trampoline_rows(struct row_builder *builder,
                                const struct trampolines *all)
{
    const struct trampoline_form *form = &forms[all->form];
    struct row_rule flat = {.kind = RULE_SP, .offset = 1}, deep = flat;

    deep.offset = 2;
    if ( form->saves_bp )
    {
        deep.bp = SAVED_AT_CFA;
        deep.bp_offset = -2;
    }
    for ( uint64_t arena = 0; arena < (uint64_t)all->pages * ARENA;
          arena += ARENA )
        for ( uint64_t at = 0; at + form->size <= ARENA; at += all->apart )
        {
            row_builder_row(builder, arena + at, &flat);
            row_builder_row(builder, arena + at + form->deep, &deep);
            row_builder_row(builder, arena + at + form->flat, &flat);
        }
}

bool trampolines_rows(uint64_t image, struct buffer *ret)
{
    struct row_segment segment = {.offset = 0};
    struct row_builder builder;
    struct row_table *table = NULL;
    struct trampolines all;
    bool made;

    if ( !understand(image, &all) )
        return false;
    segment.size = (uint64_t)all.pages * ARENA;
    if ( row_builder_init(&builder, &segment, 1) )
    {
        row_builder_function(&builder, 0, segment.size);
        add_trampoline_rows(&builder, &all);
        table = row_builder_make(&builder);
    }
    row_builder_free(&builder);
    made = table && row_table_put(table, ret);
    row_table_close(table);
    return made;
}
