/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel-file.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

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

enum exit_status kernel_file_open(struct xenoprof_handle *handle,
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
