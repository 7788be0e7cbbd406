/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens a file with code, and reads its symbols and lines, through libdwfl. */
#include "code-file.h"

#include "base/must.h"
#include "code-packed.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUILD_ID_MAX 64u

struct code_file {
    char *path;
    Dwfl *dwfl;
    Dwfl_Module *module;
    char build_id[2 * BUILD_ID_MAX + 1];
    struct packed packed; /* the boot image, if it is one */
    struct code_symbols symbols;
    bool symbols_read;
};

/* Where libdwfl looks for separate files; NULL: its default. */
static char *debug_folders;

static const Dwfl_Callbacks callbacks = {
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debug_folders,
};

const char *code_file_path(const struct code_file *file)
{
    return file->path;
}

const char *code_file_build_id(const struct code_file *file)
{
    return file->build_id;
}

static enum exit_status fail_file(struct failure *failure, const char *path,
                                  const char *what)
{
    return fail(failure, STATUS_NO_CODE,
                "%s: %s: give an ELF file with code (xen-syms, vmlinux, a "
                "kernel module, a program), a vmlinuz or a xen.gz",
                path, what);
}

/* Open a regular file; a pipe would block.  Returns -1 with errno, which is 0
 * if path is another kind of file. */
static int open_regular(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat state;

    if ( fd < 0 )
        return -1;
    if ( !fstat(fd, &state) && S_ISREG(state.st_mode) )
        return fd;
    close(fd);
    errno = 0;
    return -1;
}

/* Give fd to libdwfl.  Returns false, with fd closed, if it is not ELF. */
static bool take_fd(struct code_file *file, int fd)
{
    const unsigned char *bits;
    GElf_Addr address;
    int size;

    /* A report does not use the network. */
    unsetenv("DEBUGINFOD_URLS");
    file->dwfl = dwfl_begin(&callbacks);
    file->module = file->dwfl
                       ? dwfl_report_offline(file->dwfl, "", file->path, fd)
                       : NULL;
    if ( !file->module )
    {
        close(fd);
        return false;
    }
    dwfl_report_end(file->dwfl, NULL, NULL);
    size = dwfl_module_build_id(file->module, &bits, &address);
    for ( int i = 0; i < size && i < (int)BUILD_ID_MAX; i++ )
        sprintf(file->build_id + 2 * i, "%02x", bits[i]);
    return true;
}

static enum exit_status open_file(struct code_file *file, const char *path,
                                  struct failure *failure)
{
    int fd;

    file->path = must(strdup(path));
    fd = open_regular(path);
    if ( fd < 0 )
        return fail_file(failure, path,
                         errno ? strerror(errno) : "not a regular file");
    if ( !packed_open(&file->packed, &fd) )
    {
        close(fd);
        return fail_file(failure, path, "what is in it cannot be read");
    }
    return take_fd(file, fd) ? STATUS_DONE
                             : fail_file(failure, path, "not an ELF file");
}

enum exit_status code_file_open(const char *path, struct code_file **ret,
                                struct failure *failure)
{
    struct code_file *file = must(calloc(1, sizeof(*file)));

    *ret = NULL;
    if ( open_file(file, path, failure) )
        code_file_close(file);
    else
        *ret = file;
    return failure->status;
}

void code_file_close(struct code_file *file)
{
    if ( !file )
        return;
    if ( file->dwfl )
        dwfl_end(file->dwfl);
    packed_close(&file->packed);
    code_symbols_free(&file->symbols);
    free(file->path);
    free(file);
}

static void add_symbol(struct code_file *file, int index)
{
    GElf_Sym symbol;
    GElf_Addr address;
    GElf_Word section;
    const char *name = dwfl_module_getsym_info(file->module, index, &symbol,
                                               &address, &section, NULL, NULL);
    int type = GELF_ST_TYPE(symbol.st_info);

    if ( !name || !*name || section == SHN_UNDEF || section == SHN_ABS ||
         (type != STT_NOTYPE && type != STT_FUNC && type != STT_OBJECT &&
          type != STT_GNU_IFUNC) )
        return;
    code_symbols_add(&file->symbols, &(struct code_symbol){
                                         .address = address,
                                         .size = symbol.st_size,
                                         .name = name,
                                         .section = section,
                                     });
}

enum exit_status code_file_symbols(struct code_file *file,
                                   const struct code_symbols **ret,
                                   struct failure *failure)
{
    if ( !file->symbols_read )
    {
        int count = dwfl_module_getsymtab(file->module);

        for ( int i = 0; i < count; i++ )
            add_symbol(file, i);
        if ( !file->symbols.count )
            packed_symbols(&file->packed, &file->symbols);
        code_symbols_sort(&file->symbols);
        file->symbols_read = true;
    }
    *ret = &file->symbols;
    return file->symbols.count ? STATUS_DONE
                               : fail_file(failure, file->path,
                                           "it has no symbols (stripped?)");
}

bool code_file_has_symbols(struct code_file *file)
{
    struct failure silent = {.status = STATUS_DONE};
    const struct code_symbols *symbols;

    return !code_file_symbols(file, &symbols, &silent);
}

void code_file_lend_symbols(struct code_file *file,
                            struct code_symbols *symbols)
{
    code_symbols_free(&file->symbols);
    file->symbols = *symbols;
    *symbols = (struct code_symbols){.count = 0};
    code_symbols_sort(&file->symbols);
}

size_t code_file_bytes(struct code_file *file, uint64_t address,
                       const uint8_t **ret)
{
    GElf_Addr bias = 0;
    Elf *elf = dwfl_module_getelf(file->module, &bias);

    return elf ? elf_code_bytes(elf, address - bias, ret) : 0;
}

bool code_file_relocated(struct code_file *file, uint64_t at,
                         struct relocated *ret)
{
    GElf_Addr bias = 0;
    Elf *elf = dwfl_module_getelf(file->module, &bias);

    if ( !elf || !elf_relocation(elf, at - bias, ret) )
        return false;
    ret->address += bias;
    return true;
}

bool code_file_line(struct code_file *file, uint64_t address,
                    struct code_line *ret)
{
    Dwfl_Line *line = dwfl_module_getsrc(file->module, address);
    const char *path = line ? dwfl_lineinfo(line, NULL, &ret->number, NULL,
                                            NULL, NULL)
                            : NULL;
    const char *folder;

    if ( !path || ret->number <= 0 )
        return false;
    /* Paths are as the compiler was called with them, maybe relative. */
    folder = *path == '/' ? NULL : dwfl_line_comp_dir(line);
    ret->path = folder ? must_text("%s/%s", folder, path) : must(strdup(path));
    return true;
}
