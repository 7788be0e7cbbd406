/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debug-file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Debian's packages of debug symbols have their files there. */
#define FOLDER "/usr/lib/debug/.build-id"

int debug_file_find(const struct file_roots *roots, const uint8_t *id,
                    size_t size)
{
    char path[sizeof(FOLDER) + 2 * ELF_BUILD_ID_MAX + 16];
    int at;

    if ( size < 2 || size > ELF_BUILD_ID_MAX )
        return -1;
    at = snprintf(path, sizeof(path), FOLDER "/%02x/", id[0]);
    for ( size_t i = 1; i < size; i++ )
        at += snprintf(path + at, sizeof(path) - (size_t)at, "%02x", id[i]);
    snprintf(path + at, sizeof(path) - (size_t)at, ".debug");
    return file_roots_open(roots, 0, path);
}

int debug_file_open(const struct file_roots *roots,
                    const struct elf_names *names)
{
    uint8_t id[ELF_BUILD_ID_MAX], own[ELF_BUILD_ID_MAX];
    size_t size = elf_names_build_id(names, id);
    int fd = roots->find_debug ? roots->find_debug(id, size)
                               : debug_file_find(roots, id, size);

    /* Whoever put it there may have been wrong. */
    if ( fd < 0 ||
         (elf_build_id_read(fd, own) == size && !memcmp(own, id, size)) )
        return fd;
    close(fd);
    return -1;
}
