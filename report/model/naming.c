/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "naming.h"

#include "base/must.h"
#include "domain-text.h"
#include "kernel-file.h"

#include <stdlib.h>
#include <string.h>

#define IMAGE_KERNEL "kernel"

static enum exit_status open_kernel(struct kernels *kernels,
                                    struct named_kernel *kernel,
                                    const char *text, struct failure *failure)
{
    const char *colon = strchr(text, ':');

    if ( !colon || colon == text || !colon[1] )
        return fail(failure, STATUS_USAGE,
                    "--guest-kernel: \"%s\" is not DOM:FILE: give a "
                    "domain's number, name or uuid, a colon, and a file",
                    text);
    kernel->file = colon + 1;
    kernel->domain = must(strndup(text, (size_t)(colon - text)));
    return kernel_file_open(kernels->handle, kernel->file, &kernel->symbols,
                            failure);
}

enum exit_status kernels_open(struct kernels *kernels, const char *const *texts,
                              struct failure *failure)
{
    size_t count = 0;

    *kernels = (struct kernels){0};
    while ( texts && texts[count] )
        count++;
    if ( !count )
        return STATUS_DONE;
    kernels->handle = must(xenoprof_open());
    kernels->list = must(calloc(count, sizeof(*kernels->list)));
    kernels->count = count;
    for ( size_t i = 0; i < count; i++ )
        if ( open_kernel(kernels, &kernels->list[i], texts[i], failure) )
            return failure->status;
    return STATUS_DONE;
}

void kernels_close(struct kernels *kernels)
{
    for ( size_t i = 0; i < kernels->count; i++ )
    {
        xenoprof_symbols_close(kernels->list[i].symbols);
        free(kernels->list[i].domain);
    }
    free(kernels->list);
    xenoprof_close(kernels->handle);
}

/* The last one that was named for this domain, or NULL. */
static const struct named_kernel *find_kernel(const struct loaded *loaded,
                                              const struct kernels *kernels,
                                              uint32_t domain)
{
    for ( size_t i = kernels->count; i-- > 0; )
        if ( domain_is(loaded, domain, kernels->list[i].domain) )
            return &kernels->list[i];
    return NULL;
}

static void name_by_kernel(struct loaded *loaded,
                           const struct named_kernel *kernel,
                           struct place_name *name)
{
    struct xenoprof_symbol symbol;

    if ( !xenoprof_symbols_find(kernel->symbols, name->address, &symbol) )
        return;
    name->start = symbol.start;
    must_do(names_add(&loaded->names, symbol.name, &name->symbol));
    if ( name->image && !symbol.module )
        return;
    must_do(names_add(&loaded->names,
                      symbol.module ? symbol.module : IMAGE_KERNEL,
                      &name->image));
}

/* Whether a kernel's file may know more of a place than the session. */
static bool is_for_kernels(const struct kernels *kernels, uint32_t domain,
                           const struct loaded_place *place)
{
    return kernels->count && place && place->name.address &&
           !place->name.symbol && place->mode == XENOPROF_MODE_KERNEL &&
           domain != DOMAIN_INDEX_OTHER;
}

void name_place(struct loaded *loaded, const struct kernels *kernels,
                uint32_t domain, uint64_t number, struct place_name *ret)
{
    const struct loaded_place *place = loaded_numbered(&loaded->places, number);
    const struct named_kernel *kernel;

    *ret = place ? place->name : (struct place_name){0};
    if ( !is_for_kernels(kernels, domain, place) )
        return;
    kernel = find_kernel(loaded, kernels, domain);
    if ( kernel )
        name_by_kernel(loaded, kernel, ret);
}

enum exit_status kernels_expect(const struct loaded *loaded,
                                const struct kernels *kernels,
                                struct failure *failure)
{
    for ( size_t i = 0; i < kernels->count && kernels->list[i].domain; i++ )
        if ( domain_expect(loaded, kernels->list[i].domain, failure) )
            return failure->status;
    return STATUS_DONE;
}

static struct kernel_name renamed_key(const struct cell *cell)
{
    return (struct kernel_name){.key = {cell->key.domain, cell->key.place}};
}

/* Asks the kernel's file for a cell's place. */
static void rename_cell(struct loaded *loaded, const struct kernels *kernels,
                        const struct cell *cell)
{
    const struct kernel_name key = renamed_key(cell);
    const size_t before = loaded->renamed.count;
    struct kernel_name *name;

    if ( !is_for_kernels(kernels, cell->key.domain,
                         loaded_numbered(&loaded->places, cell->key.place)) )
        return;
    name = must(table_put(&loaded->renamed, &key));
    if ( loaded->renamed.count != before )
        name_place(loaded, kernels, cell->key.domain, cell->key.place,
                   &name->name);
}

static void name_cell(const struct loaded *loaded,
                      const struct kernels *kernels, struct cell *cell)
{
    const struct loaded_place *place = loaded_numbered(&loaded->places,
                                                       cell->key.place);
    const struct kernel_name key = renamed_key(cell), *name;

    cell->name = place ? &place->name : NULL;
    if ( !is_for_kernels(kernels, cell->key.domain, place) )
        return;
    name = table_find(&loaded->renamed, &key);
    cell->name = name ? &name->name : cell->name;
}

/* Names stand still once all are there. */
void name_all_cells(struct loaded *loaded, const struct kernels *kernels)
{
    for ( size_t i = 0; kernels->count && i < loaded->cells.count; i++ )
        rename_cell(loaded, kernels, table_at(&loaded->cells, i));
    for ( size_t i = 0; i < loaded->cells.count; i++ )
        name_cell(loaded, kernels, table_at(&loaded->cells, i));
}

enum exit_status name_cells(struct loaded *loaded,
                            const struct kernels *kernels,
                            struct failure *failure)
{
    if ( kernels_expect(loaded, kernels, failure) )
        return failure->status;
    name_all_cells(loaded, kernels);
    return STATUS_DONE;
}

bool kernel_useless(const struct loaded *loaded,
                    const struct named_kernel *kernel)
{
    bool asked = false;

    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        if ( cell->key.mode != XENOPROF_MODE_KERNEL || cell_placeless(cell) ||
             !domain_is(loaded, cell->key.domain, kernel->domain) )
            continue;
        if ( cell_name(cell)->symbol )
            return false;
        asked = true;
    }
    return asked;
}
