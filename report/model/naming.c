/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "naming.h"

#include "base/must.h"
#include "domain-text.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE_KERNEL "kernel"

/* Where the fields lie that the two classes of ELF have at other places. */
struct elf_shape {
    uint64_t table;    /* file offset of the program headers */
    unsigned int size; /* of one */
    unsigned int count;
};

static bool read_shape(FILE *file, struct elf_shape *ret, uint16_t *type)
{
    union {
        unsigned char ident[EI_NIDENT];
        Elf64_Ehdr wide;
        Elf32_Ehdr narrow;
    } head;

    memset(&head, 0, sizeof(head));
    if ( fread(&head, 1, sizeof(head), file) < sizeof(head.narrow) ||
         memcmp(head.ident, ELFMAG, SELFMAG) )
        return false;
    *type = head.wide.e_type; /* at the same place in both */
    if ( head.ident[EI_CLASS] == ELFCLASS32 )
        *ret = (struct elf_shape){head.narrow.e_phoff, head.narrow.e_phentsize,
                                  head.narrow.e_phnum};
    else
        *ret = (struct elf_shape){head.wide.e_phoff, head.wide.e_phentsize,
                                  head.wide.e_phnum};
    return true;
}

static bool has_interpreter(FILE *file, const struct elf_shape *shape)
{
    for ( unsigned int i = 0; i < shape->count; i++ )
    {
        uint64_t at = shape->table + (uint64_t)i * shape->size;
        uint32_t type; /* the first field in both classes */

        if ( at > INT64_MAX || fseeko(file, (off_t)at, SEEK_SET) ||
             fread(&type, sizeof(type), 1, file) != 1 )
            return false;
        if ( type == PT_INTERP )
            return true;
    }
    return false;
}

/* What the file is instead of a kernel; NULL if it may be one. */
static const char *what_else(const char *path)
{
    FILE *file = fopen(path, "rbe");
    struct elf_shape shape;
    const char *what = NULL;
    uint16_t type;

    if ( !file )
        return NULL; /* its symbols cannot be read either, and that says why */
    if ( read_shape(file, &shape, &type) )
    {
        if ( type == ET_REL )
            what = "an object file or a module";
        else if ( has_interpreter(file, &shape) )
            what = "a program or a library";
    }
    fclose(file);
    return what;
}

/* The symbols of a file of which the user says that it is a guest's kernel.
 * What cannot be one is refused: a program with an interpreter, an object file,
 * a file without symbols or with hidden addresses. */
static enum exit_status kernel_file_open(struct xenoprof_handle *handle,
                                         const char *path,
                                         struct xenoprof_symbols **ret,
                                         struct failure *failure)
{
    const char *what = what_else(path);
    struct xenoprof_symbol symbol;

    if ( what )
        return fail(failure, STATUS_NO_KERNEL,
                    "--guest-kernel: %s is %s, not a kernel: give a "
                    "vmlinux, System.map or copy of /proc/kallsyms",
                    path, what);
    if ( xenoprof_symbols_file(handle, path, ret) )
        return fail(failure, STATUS_NO_KERNEL,
                    "--guest-kernel: %s; give a vmlinux, System.map or copy of "
                    "/proc/kallsyms",
                    xenoprof_message(handle));
    if ( !xenoprof_symbols_count(*ret) )
        return fail(failure, STATUS_NO_KERNEL,
                    "--guest-kernel: %s has no symbols: give the "
                    "unstripped vmlinux, System.map or /proc/kallsyms",
                    path);
    if ( xenoprof_symbols_lookup(*ret, "_text", &symbol) && !symbol.start )
        return fail(failure, STATUS_NO_KERNEL,
                    "--guest-kernel: all addresses in %s are 0: copy "
                    "/proc/kallsyms as root in the guest",
                    path);
    return STATUS_DONE;
}

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

/* Asks the kernels' files for cells' places, then names cells. */
void name_all_cells(struct loaded *loaded, const struct kernels *kernels)
{
    for ( size_t i = 0; kernels->count && i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);
        const struct kernel_name key = {
            .key = {cell->key.domain, cell->key.place}};
        const size_t before = loaded->renamed.count;
        struct kernel_name *name;

        if ( !is_for_kernels(
                 kernels, cell->key.domain,
                 loaded_numbered(&loaded->places, cell->key.place)) )
            continue;
        name = must(table_put(&loaded->renamed, &key));
        if ( loaded->renamed.count != before )
            name_place(loaded, kernels, cell->key.domain, cell->key.place,
                       &name->name);
    }
    /* Names stand still once all are there. */
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);
        const struct loaded_place *place = loaded_numbered(&loaded->places,
                                                           cell->key.place);
        const struct kernel_name key = {
            .key = {cell->key.domain, cell->key.place}};
        const struct kernel_name *name = NULL;

        if ( is_for_kernels(kernels, cell->key.domain, place) )
            name = table_find(&loaded->renamed, &key);
        cell->name = name ? &name->name : place ? &place->name : NULL;
    }
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
