/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code-live.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_ROOM 4096u

struct live {
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

bool live_is(const char *root, const char *boot)
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

static bool read_segments(struct live *live)
{
    Elf64_Ehdr header;
    size_t size;

    if ( pread(live->memory, &header, sizeof(header), 0) != sizeof(header) ||
         memcmp(header.e_ident, ELFMAG, SELFMAG) ||
         header.e_ident[EI_CLASS] != ELFCLASS64 ||
         header.e_phentsize != sizeof(*live->segments) ||
         header.e_phoff > INT64_MAX )
        return false;
    live->count = header.e_phnum;
    size = live->count * sizeof(*live->segments);
    live->segments = malloc(size + 1);
    return live->segments && pread(live->memory, live->segments, size,
                                   (off_t)header.e_phoff) == (ssize_t)size;
}

static bool read_symbols(struct live *live, const char *root)
{
    char path[PATH_ROOM];

    snprintf(path, sizeof(path), "%s/proc/kallsyms", root);
    live->handle = xenoprof_open();
    return live->handle &&
           !xenoprof_symbols_file(live->handle, path, &live->symbols);
}

struct live *live_open(const char *root)
{
    struct live *live = calloc(1, sizeof(*live));

    if ( !live )
        return NULL;
    live->memory = open_below(root, "/proc/kcore");
    if ( live->memory >= 0 && read_segments(live) && read_symbols(live, root) )
        return live;
    live_close(live);
    return NULL;
}

void live_close(struct live *live)
{
    if ( !live )
        return;
    if ( live->memory >= 0 )
        close(live->memory);
    xenoprof_symbols_close(live->symbols);
    xenoprof_close(live->handle);
    free(live->segments);
    free(live);
}

bool live_symbol(const struct live *live, uint64_t address,
                 struct xenoprof_symbol *ret)
{
    return xenoprof_symbols_find(live->symbols, address, ret);
}

size_t live_read(const struct live *live, uint64_t address, uint8_t *to,
                 size_t size)
{
    for ( size_t i = 0; i < live->count; i++ )
    {
        const Elf64_Phdr *segment = &live->segments[i];
        uint64_t offset = address - segment->p_vaddr, left;
        ssize_t done;

        if ( segment->p_type != PT_LOAD || address < segment->p_vaddr ||
             offset >= segment->p_filesz ||
             segment->p_offset > INT64_MAX - offset )
            continue;
        left = segment->p_filesz - offset;
        done = pread(live->memory, to, size < left ? size : left,
                     (off_t)(segment->p_offset + offset));
        return done > 0 ? (size_t)done : 0;
    }
    return 0;
}
