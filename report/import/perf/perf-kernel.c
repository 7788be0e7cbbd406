/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf-kernel.h"

#include "base/must.h"
#include "base/scope.h"
#include "base/sorted.h"
#include "perf-files.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#define KERNEL_PATH "[kernel.kallsyms]"
#define NOTES_MAX   65536u
#define PARTS_MAX   65536u

void perf_kernel_init(struct perf_kernel *kernel)
{
    *kernel = (struct perf_kernel){.handle = must(xenoprof_open())};
    names_init(&kernel->names);
}

void perf_kernel_free(struct perf_kernel *kernel)
{
    xenoprof_symbols_close(kernel->symbols);
    xenoprof_close(kernel->handle);
    names_free(&kernel->names);
    vector_free(&kernel->parts);
    free(kernel->release);
}

static const struct perf_kernel_part *part_of(const struct perf_kernel *kernel,
                                              uint64_t address)
{
    size_t count = sorted_until(kernel->parts.items, kernel->parts.count, start,
                                address);

    return count && address < kernel->parts.items[count - 1].end
               ? &kernel->parts.items[count - 1]
               : NULL;
}

/* Takes the place of what was there. */
static void put_part(struct perf_kernel *kernel,
                     const struct perf_kernel_part *part)
{
    size_t at = sorted_below(kernel->parts.items, kernel->parts.count, start,
                             part->start);

    if ( at == kernel->parts.count ||
         kernel->parts.items[at].start != part->start )
    {
        if ( kernel->parts.count == PARTS_MAX )
            return;
        must(vector_add(&kernel->parts));
        memmove(&kernel->parts.items[at + 1], &kernel->parts.items[at],
                (kernel->parts.count - 1 - at) * sizeof(*part));
    }
    kernel->parts.items[at] = *part;
    kernel->changes++;
}

/* "[ext4]", or "/lib/.../ext4.ko.xz": ext4. */
static char *module_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path + (*path == '[');

    return must(strndup(name, strcspn(name, ".]")));
}

void perf_kernel_map(struct perf_kernel *kernel, const char *path,
                     uint64_t start, uint64_t size, uint64_t offset)
{
    struct perf_kernel_part part = {.start = start, .end = start + size};
    char *name SCOPE_FREE = NULL;

    if ( !strncmp(path, KERNEL_PATH, strlen(KERNEL_PATH)) )
    {
        snprintf(kernel->reference, sizeof(kernel->reference), "%s",
                 path + strlen(KERNEL_PATH));
        kernel->at = offset;
        return;
    }
    if ( part.end < start )
        return;
    name = module_name(path);
    must_do(names_add(&kernel->names, name, &part.name));
    put_part(kernel, &part);
}

void perf_kernel_function(struct perf_kernel *kernel, const char *name,
                          uint64_t start, uint64_t size, bool gone)
{
    struct perf_kernel_part part = {.start = start,
                                    .end = gone ? start : start + size,
                                    .is_function = true};

    const struct perf_kernel_part *known = part_of(kernel, start);

    if ( part.end < start )
        return;
    must_do(names_add(&kernel->names, name, &part.name));
    if ( kernel->own )
        part.image = known && known->start == start ? known->image : part.name;
    put_part(kernel, &part);
}

/* The build-id of the kernel that runs here. */
static void running_id(struct perf_build_id *ret)
{
    FILE *file SCOPE_FCLOSE = fopen("/sys/kernel/notes", "re");
    static uint8_t bytes[NOTES_MAX];
    const size_t size = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
    struct cursor from = {bytes, bytes + size, false};

    *ret = (struct perf_build_id){.size = 0};
    while ( !from.bad && !ret->size && cursor_left(&from) )
    {
        const uint32_t name = perf_u32(&from), content = perf_u32(&from);
        const uint32_t type = perf_u32(&from);
        const uint8_t *text = get_bytes(&from, ((size_t)name + 3) / 4 * 4);
        const uint8_t *id = get_bytes(&from, ((size_t)content + 3) / 4 * 4);

        if ( text && id && type == NT_GNU_BUILD_ID && name == 4 &&
             !memcmp(text, "GNU", 4) && content <= PERF_BUILD_ID_MAX )
        {
            memcpy(ret->bytes, id, content);
            ret->size = (uint8_t)content;
        }
    }
}

/* Without a build-id it is at least the same release, at the same address
 * (find_move()). */
static bool is_running(const struct perf_kernel *kernel)
{
    struct perf_build_id here;
    struct utsname name;

    if ( !kernel->id.size )
        return kernel->release && *kernel->reference && !uname(&name) &&
               !strcmp(name.release, kernel->release);
    running_id(&here);
    return here.size == kernel->id.size &&
           !memcmp(here.bytes, kernel->id.bytes, here.size);
}

static void read_names(struct perf_kernel *kernel, const char *path)
{
    int fd SCOPE_CLOSE = perf_open_trusted(path);
    struct xenoprof_symbol symbol;

    if ( kernel->symbols || fd < 0 ||
         xenoprof_symbols_file(kernel->handle, path, &kernel->symbols) )
        return;
    /* Addresses that were hidden from who copied them are all 0. */
    if ( !xenoprof_symbols_lookup(kernel->symbols, "_text", &symbol) ||
         !symbol.start )
    {
        xenoprof_symbols_close(kernel->symbols);
        kernel->symbols = NULL;
    }
}

/* A kernel is at another address after each boot. */
static void find_move(struct perf_kernel *kernel)
{
    struct xenoprof_symbol symbol;

    if ( kernel->symbols && *kernel->reference && kernel->at &&
         xenoprof_symbols_lookup(kernel->symbols, kernel->reference, &symbol) )
        kernel->moved = kernel->at - symbol.start;
    if ( !kernel->moved || kernel->id.size )
        return;
    xenoprof_symbols_close(kernel->symbols);
    kernel->symbols = NULL;
}

static void look_for_names(struct perf_kernel *kernel)
{
    const char *home = getenv("HOME");
    char id[2 * PERF_BUILD_ID_MAX + 1] = "";
    char *path SCOPE_FREE = NULL;

    kernel->looked = true;
    for ( unsigned int i = 0; i < kernel->id.size; i++ )
        sprintf(id + 2 * i, "%02x", kernel->id.bytes[i]);
    path = must_text("%s/.debug/" KERNEL_PATH "/%s/kallsyms", home ? home : "",
                     id);
    if ( kernel->id.size )
        read_names(kernel, path);
    if ( is_running(kernel) )
        read_names(kernel, "/proc/kallsyms");
    find_move(kernel);
}

void perf_kernel_find(struct perf_kernel *kernel, uint64_t address,
                      struct perf_kernel_code *ret)
{
    const struct perf_kernel_part *part = part_of(kernel, address);
    const char *name = part ? names_text(&kernel->names, part->name) : NULL;
    struct xenoprof_symbol symbol;

    *ret = (struct perf_kernel_code){.image = "kernel"};
    if ( part && part->is_function )
    {
        *ret = (struct perf_kernel_code){
            part->image ? names_text(&kernel->names, part->image) : "bpf", name,
            part->start, part->image};
        return;
    }
    if ( !kernel->looked )
        look_for_names(kernel);
    /* Modules do not move as the kernel does. */
    if ( part && name )
        ret->image = name;
    if ( !kernel->symbols || (part && kernel->moved) ||
         !xenoprof_symbols_find(kernel->symbols, address - kernel->moved,
                                &symbol) )
        return;
    ret->symbol = symbol.name;
    ret->start = symbol.start + kernel->moved;
    if ( symbol.module )
        ret->image = symbol.module;
}
