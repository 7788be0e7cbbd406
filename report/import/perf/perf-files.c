/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf-files.h"

#include "base/must.h"
#include "base/scope.h"
#include "perf-elf.h"
#include "perf-symbols.h"
#include "rows/cfi/elf-rows.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct perf_path_id {
    uint32_t path; /* in perf_files.paths */
    struct perf_build_id id;
};

struct perf_file {
    struct {
        uint32_t path;
        struct perf_build_id id;
    } key;
    struct perf_build_id id; /* that it has */
    bool looked, looked_rows;
    char *found; /* where it is; NULL: nowhere */
    struct perf_elf elf;
    struct perf_symbols *symbols;
    struct row_table *rows;
};

void perf_files_init(struct perf_files *files)
{
    names_init(&files->paths);
    table_init(&files->ids, sizeof(uint32_t), sizeof(struct perf_path_id));
    table_init(&files->files, sizeof(((struct perf_file *)0)->key),
               sizeof(struct perf_file));
}

void perf_files_free(struct perf_files *files)
{
    for ( size_t i = 0; i < files->files.count; i++ )
    {
        struct perf_file *file = table_at(&files->files, i);

        free(file->found);
        perf_symbols_close(file->symbols);
        row_table_close(file->rows);
    }
    names_free(&files->paths);
    table_free(&files->ids);
    table_free(&files->files);
}

void perf_files_know(struct perf_files *files, const char *path,
                     const struct perf_build_id *id)
{
    struct perf_path_id *row;
    uint32_t number;

    must_do(names_add(&files->paths, path, &number));
    row = must(table_put(&files->ids, &number));
    row->id = *id;
}

uint32_t perf_files_number(struct perf_files *files, const char *path,
                           const struct perf_build_id *id)
{
    struct perf_file key;
    const struct perf_path_id *known;
    const struct perf_file *file;

    memset(&key, 0, sizeof(key));
    must_do(names_add(&files->paths, path, &key.key.path));
    known = table_find(&files->ids, &key.key.path);
    key.key.id = id->size || !known ? *id : known->id;
    file = must(table_put(&files->files, &key.key));
    return (uint32_t)table_index(&files->files, file);
}

const char *perf_files_path(const struct perf_files *files, uint32_t number)
{
    const struct perf_file *file = table_at(&files->files, number);

    return names_text(&files->paths, file->key.path);
}

/* Neither a device nor a pipe that waits, nor what another user prepared. */
int perf_open_trusted(const char *path)
{
    struct stat state;
    int fd = *path == '/' ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;

    if ( fd < 0 )
        return -1;
    if ( !fstat(fd, &state) && S_ISREG(state.st_mode) &&
         (!state.st_uid || state.st_uid == geteuid()) )
        return fd;
    close(fd);
    return -1;
}

static bool is_wanted(const struct perf_build_id *id,
                      const struct perf_elf *elf)
{
    return !id->size || (elf->id.size == id->size &&
                         !memcmp(elf->id.bytes, id->bytes, id->size));
}

/* Looks whether it is there.  Returns whether its symbols are all that there
 * are. */
static bool try_path(struct perf_file *file, const char *path)
{
    int fd SCOPE_CLOSE = perf_open_trusted(path);
    struct perf_symbols *symbols;
    struct perf_elf elf;

    if ( fd < 0 || !perf_elf_read(fd, &elf) || !is_wanted(&file->id, &elf) )
        return false;
    if ( !file->found )
    {
        file->found = must(strdup(path));
        file->elf = elf;
        file->id = elf.id;
    }
    if ( file->symbols && !elf.whole )
        return false;
    symbols = perf_symbols_read(fd);
    if ( !symbols )
        return false;
    perf_symbols_close(file->symbols);
    file->symbols = symbols;
    return elf.whole;
}

/* Other places have files by build-id. */
static void try_others(struct perf_file *file)
{
    static const char *const forms[] = {
        "/usr/lib/debug/.build-id/%.2s/%s.debug",
        "%s/.debug/.build-id/%.2s/%s/debug", "%s/.debug/.build-id/%.2s/%s/elf"};
    const char *home = getenv("HOME");
    char id[2 * PERF_BUILD_ID_MAX + 1] = "";
    bool whole = false;

    for ( unsigned int i = 0; i < file->id.size; i++ )
        sprintf(id + 2 * i, "%02x", file->id.bytes[i]);
    for ( size_t i = 0; !whole && *id && i < sizeof(forms) / sizeof(forms[0]);
          i++ )
    {
        char *path SCOPE_FREE = i ? must_text(forms[i], home ? home : "", id,
                                              id + 2)
                                  : must_text(forms[i], id, id + 2);

        whole = try_path(file, path);
    }
}

static void look_for(struct perf_files *files, struct perf_file *file)
{
    if ( file->looked )
        return;
    file->looked = true;
    file->id = file->key.id;
    if ( !try_path(file, names_text(&files->paths, file->key.path)) )
        try_others(file);
}

bool perf_files_name(struct perf_files *files, uint32_t number,
                     uint64_t address, struct perf_code *ret)
{
    struct perf_file *file = table_at(&files->files, number);
    const struct perf_symbol *symbol = NULL;

    look_for(files, file);
    *ret = (struct perf_code){.address = address};
    if ( file->found && file->symbols )
        symbol = perf_symbols_find(file->symbols, address);
    if ( !symbol )
        return false;
    ret->symbol = symbol->name;
    ret->start = symbol->start;
    return true;
}

void perf_files_find(struct perf_files *files, uint32_t number, uint64_t offset,
                     struct perf_code *ret)
{
    struct perf_file *file = table_at(&files->files, number);
    uint64_t address;

    look_for(files, file);
    if ( file->found && perf_elf_address(&file->elf, offset, &address) )
        perf_files_name(files, number, address, ret);
    else
        *ret = (struct perf_code){.address = offset};
}

const struct row_table *perf_files_rows(struct perf_files *files,
                                        uint32_t number)
{
    struct perf_file *file = table_at(&files->files, number);

    look_for(files, file);
    if ( file->found && !file->looked_rows )
    {
        int fd SCOPE_CLOSE = perf_open_trusted(file->found);

        if ( fd < 0 || elf_rows(fd, &file->rows, NULL) != ELF_ROWS_MADE )
            file->rows = NULL;
    }
    file->looked_rows = true;
    return file->rows;
}
