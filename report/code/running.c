/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the code and symbols of what runs on this host from /proc and /sys. */
#include "running.h"

#include "base/must.h"
#include "base/scope.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_ROOM  4096u
#define LINE_ROOM  256u
#define CODE_BEGIN (XEN_BOOT_SHIFT + 0x200000)

struct running_kernel {
    struct xenoprof_handle *handle;
    struct xenoprof_symbols *symbols;
    Elf64_Phdr *segments;
    size_t count;
    int memory;
};

static int open_below(const char *root, const char *path)
{
    char whole[PATH_ROOM];
    int length = snprintf(whole, sizeof(whole), "%s%s", root, path);

    return length < (int)sizeof(whole) ? open(whole, O_RDONLY | O_CLOEXEC) : -1;
}

bool running_is(const char *root, const char *boot)
{
    char text[64] = "";
    int fd = open_below(root, "/proc/sys/kernel/random/boot_id");
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

    if ( fd >= 0 )
        close(fd);
    if ( size <= 0 )
        return false;
    text[strcspn(text, "\n")] = '\0';
    return *text && !strcmp(text, boot);
}

static bool read_segments(struct running_kernel *kernel)
{
    Elf64_Ehdr header;
    size_t size;

    if ( pread(kernel->memory, &header, sizeof(header), 0) != sizeof(header) ||
         memcmp(header.e_ident, ELFMAG, SELFMAG) ||
         header.e_ident[EI_CLASS] != ELFCLASS64 ||
         header.e_phentsize != sizeof(*kernel->segments) ||
         header.e_phoff > INT64_MAX )
        return false;
    kernel->count = header.e_phnum;
    size = kernel->count * sizeof(*kernel->segments);
    kernel->segments = must(malloc(size + 1));
    return pread(kernel->memory, kernel->segments, size,
                 (off_t)header.e_phoff) == (ssize_t)size;
}

struct running_kernel *running_open(const char *root)
{
    struct running_kernel *kernel = must(calloc(1, sizeof(*kernel)));
    char path[PATH_ROOM];

    snprintf(path, sizeof(path), "%s/proc/kallsyms", root);
    kernel->memory = open_below(root, "/proc/kcore");
    kernel->handle = must(xenoprof_open());
    if ( kernel->memory >= 0 && read_segments(kernel) &&
         !xenoprof_symbols_file(kernel->handle, path, &kernel->symbols) )
        return kernel;
    running_close(kernel);
    return NULL;
}

void running_close(struct running_kernel *kernel)
{
    if ( !kernel )
        return;
    if ( kernel->memory >= 0 )
        close(kernel->memory);
    xenoprof_symbols_close(kernel->symbols);
    xenoprof_close(kernel->handle);
    free(kernel->segments);
    free(kernel);
}

bool running_symbol(const struct running_kernel *kernel, uint64_t address,
                    struct xenoprof_symbol *ret)
{
    return xenoprof_symbols_find(kernel->symbols, address, ret);
}

size_t running_read(const struct running_kernel *kernel, uint64_t address,
                    uint8_t *to, size_t size)
{
    for ( size_t i = 0; i < kernel->count; i++ )
    {
        const Elf64_Phdr *segment = &kernel->segments[i];
        uint64_t offset = address - segment->p_vaddr, left;
        ssize_t done;

        if ( segment->p_type != PT_LOAD || address < segment->p_vaddr ||
             offset >= segment->p_filesz ||
             segment->p_offset > INT64_MAX - offset )
            continue;
        left = segment->p_filesz - offset;
        done = pread(kernel->memory, to, size < left ? size : left,
                     (off_t)(segment->p_offset + offset));
        return done > 0 ? (size_t)done : 0;
    }
    return 0;
}

static bool xen_runs(const char *root, const char *build_id)
{
    char path[PATH_ROOM], line[LINE_ROOM] = "";
    FILE *file SCOPE_FCLOSE = NULL;

    snprintf(path, sizeof(path), "%s/sys/hypervisor/properties/buildid", root);
    file = fopen(path, "re");
    if ( !file )
        return false;
    if ( fgets(line, sizeof(line), file) )
        line[strcspn(line, "\n")] = '\0';
    return *line && !strcmp(line, build_id);
}

/* Each symbol ends where the next begins. */
static void add_running_symbols(const struct xenoprof_symbols *names,
                                struct code_symbols *ret)
{
    uint64_t address = CODE_BEGIN;
    struct xenoprof_symbol name;

    while ( xenoprof_symbols_find(names, address, &name) && name.size &&
            name.start + name.size > address )
    {
        const struct code_symbol symbol = {
            .address = name.start - XEN_BOOT_SHIFT,
            .size = name.size,
            .name = name.name,
        };

        code_symbols_add(ret, &symbol);
        address = name.start + name.size;
    }
}

void xen_own_symbols(const char *root, const char *build_id,
                     struct code_symbols *ret)
{
    struct xenoprof_symbols *names = NULL;
    struct xenoprof_handle *handle;
    char path[PATH_ROOM];

    memset(ret, 0, sizeof(*ret));
    if ( !xen_runs(root, build_id) )
        return;
    snprintf(path, sizeof(path), "%s/proc/xen/xensyms", root);
    handle = must(xenoprof_open());
    if ( !xenoprof_symbols_file(handle, path, &names) )
        add_running_symbols(names, ret);
    xenoprof_symbols_close(names);
    xenoprof_close(handle);
}
