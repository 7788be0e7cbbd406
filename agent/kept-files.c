/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file is known by what it is, not by its path. */
#include "kept-files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/scope.h"
#include "debug-file.h"
#include "file-identity.h"
#include "plain-name.h"
#include "rows/cfi/elf-rows.h"
#include "vdso.h"

/* Of all that there is room for, a file may take so much. */
#define SHARE 2u

_Static_assert(LINE_PATH_MAX <= ELF_NAME_MAX, "paths find room");

/* ns that the debug information of a file is held, after it was read last. */
#define AWAKE 2000000000ull

struct kept_file {
    struct file_identity is;
    bool names_read, rows_made, inlines_read;
    struct elf_names *names;      /* NULL: it is not an ELF file */
    struct inline_names *inlines; /* NULL: it has no debug information */
    struct buffer rows; /* its table, as it is sent; empty: it has none */
    size_t bytes, inlines_bytes; /* these are part of those */
    uint64_t inlines_refused;
    TAILQ_ENTRY(kept_file) next;
};

struct kept_files {
    TAILQ_HEAD(files_in_use, kept_file) files; /* the last one used first */
    struct file_roots roots;
    size_t room, bytes;
    uint64_t refused;
    struct kept_file *awake; /* whose debug information is held; NULL: none */
    uint64_t since;          /* when it was read last */
};

struct kept_files *kept_files_open(size_t bytes, const struct file_roots *roots)
{
    struct kept_files *files = calloc(1, sizeof(*files));

    if ( !files )
        return NULL;
    TAILQ_INIT(&files->files);
    files->roots = *roots;
    files->room = bytes;
    return files;
}

static void forget_kept_file(struct kept_files *files, struct kept_file *file)
{
    TAILQ_REMOVE(&files->files, file, next);
    if ( files->awake == file )
        files->awake = NULL;
    files->bytes -= file->bytes;
    inline_names_free(file->inlines);
    elf_names_free(file->names);
    buffer_free(&file->rows);
    free(file);
}

void kept_files_close(struct kept_files *files)
{
    while ( files && !TAILQ_EMPTY(&files->files) )
        forget_kept_file(files, TAILQ_FIRST(&files->files));
    free(files);
}

size_t kept_files_bytes(const struct kept_files *files)
{
    return files->bytes;
}

uint64_t kept_files_refused(const struct kept_files *files)
{
    return files->refused;
}

static struct elf_names *vdso_names(size_t most)
{
    size_t size;
    const void *bytes = vdso_get(&size);

    return bytes ? elf_names_of(bytes, size, most) : NULL;
}

static struct elf_names *read_symbol_names(const struct kept_files *files,
                                           int fd)
{
    const size_t most = files->room / SHARE;
    struct elf_names *names = fd < 0 ? vdso_names(most)
                                     : elf_names_read(fd, most);
    int debug SCOPE_CLOSE = -1;

    if ( names && !elf_names_are_whole(names) )
        debug = debug_file_open(&files->roots, names);
    if ( debug >= 0 )
        elf_names_add(names, debug, most);
    return names;
}

/* The file is used now, and takes so much more. */
static void charge(struct kept_files *files, struct kept_file *file,
                   size_t bytes)
{
    struct kept_file *last;

    TAILQ_REMOVE(&files->files, file, next);
    TAILQ_INSERT_HEAD(&files->files, file, next);
    file->bytes += bytes;
    files->bytes += bytes;
    /* Makes room; what was read last stays, whatever it takes. */
    while ( files->bytes > files->room &&
            (last = TAILQ_LAST(&files->files, files_in_use)) != file )
        forget_kept_file(files, last);
}

/* Returns what is kept of a file. */
static struct kept_file *keep_file(struct kept_files *files,
                                   const struct stat *status)
{
    const struct file_identity is = file_identity_of(status);
    struct kept_file *file;

    TAILQ_FOREACH(file, &files->files, next)
    if ( file_identity_is(&file->is, &is) )
    {
        charge(files, file, 0);
        return file;
    }
    file = calloc(1, sizeof(*file));
    if ( !file )
        return NULL;
    file->is = is;
    TAILQ_INSERT_HEAD(&files->files, file, next);
    charge(files, file, sizeof(*file));
    return file;
}

/* The same, with its names. */
static struct kept_file *keep_named(struct kept_files *files, int fd,
                                    const struct stat *status)
{
    struct kept_file *file = keep_file(files, status);

    if ( !file || file->names_read )
        return file;
    file->names_read = true;
    file->names = read_symbol_names(files, fd);
    files->refused += !file->names;
    charge(files, file, file->names ? elf_names_bytes(file->names) : 0);
    return file;
}

static void find_file_function(struct kept_files *files, int fd,
                               const struct stat *status, uint64_t offset,
                               struct file_answer *ret)
{
    const struct kept_file *file = keep_named(files, fd, status);
    struct file_function *function = &ret->function;
    struct elf_function found;

    if ( !file || !file->names )
        return;
    ret->found = FILE_FOUND;
    function->build_id_size = (uint32_t)elf_names_build_id(file->names,
                                                           function->build_id);
    function->is_code = elf_names_address(file->names, offset,
                                          &function->address);
    function->after = 1;
    if ( !function->is_code )
        return;
    function->start = function->address;
    if ( elf_names_find(file->names, function->address, &found) )
        memcpy(function->name, found.name, sizeof(function->name));
    if ( found.start > function->address ||
         found.before > function->address - found.start )
        return; /* its tables make no sense */
    function->start = found.start;
    function->before = found.before;
    function->after = found.after;
}

static void charge_inlines(struct kept_files *files, struct kept_file *file)
{
    size_t bytes = inline_names_bytes(file->inlines);
    uint64_t refused = inline_names_refused(file->inlines);

    files->refused += refused - file->inlines_refused;
    file->inlines_refused = refused;
    file->bytes -= file->inlines_bytes;
    files->bytes -= file->inlines_bytes;
    file->inlines_bytes = bytes;
    charge(files, file, bytes);
}

static void rest(struct kept_files *files)
{
    if ( files->awake )
        inline_names_rest(files->awake->inlines);
    files->awake = NULL;
}

void kept_files_rest(struct kept_files *files)
{
    if ( files->awake && clock_read(CLOCK_MONOTONIC) - files->since >= AWAKE )
        rest(files);
}

/* The debug information is in the file itself, or in one apart. */
static void read_inlines(struct kept_files *files, struct kept_file *file,
                         int fd, uint64_t *steps)
{
    const size_t most = files->room / SHARE;
    int debug = -1;

    rest(files);
    file->inlines_read = true;
    file->inlines = inline_names_read(fd, most, steps);
    if ( !file->inlines )
        debug = debug_file_open(&files->roots, file->names);
    if ( debug >= 0 )
        file->inlines = inline_names_read(debug, most, steps);
    if ( file->inlines )
        files->awake = file;
}

static void wake(struct kept_files *files, struct kept_file *file, int fd)
{
    int debug = -1;

    rest(files);
    files->awake = file;
    inline_names_wake(file->inlines, fd);
    if ( inline_names_rests(file->inlines) )
        debug = debug_file_open(&files->roots, file->names);
    if ( debug >= 0 )
        inline_names_wake(file->inlines, debug);
}

/* Has what is needed of the file be read, for which *fd is given away. */
static void make_ready(struct kept_files *files, struct kept_file *file,
                       uint64_t address, int *fd, uint64_t *steps)
{
    if ( !file->inlines_read )
        read_inlines(files, file, *fd, steps);
    else if ( file->inlines && inline_names_rests(file->inlines) &&
              !inline_names_know(file->inlines, address) )
        wake(files, file, *fd);
    else
        return;
    *fd = -1;
}

/* The function around all that was inlined has its name from elsewhere. */
static void put_frames(const struct inline_chain *chain,
                       struct file_answer *ret)
{
    for ( ret->frames = 0; ret->frames <= chain->count; ret->frames++ )
    {
        const struct source_line *source = &chain->lines[ret->frames];
        struct file_frame *frame = &ret->frame[ret->frames];

        frame->name[0] = 0;
        if ( ret->frames < chain->count )
            plain_name(chain->names[ret->frames], frame->name,
                       sizeof(frame->name));
        snprintf(frame->path, sizeof(frame->path), "%s", source->path);
        frame->line = source->line;
    }
}

/* *fd may be given away. */
static void find_inlined(struct kept_files *files, int *fd,
                         const struct stat *status, uint64_t offset,
                         struct file_answer *ret)
{
    struct kept_file *file = keep_named(files, *fd, status);
    struct inline_chain chain = {.lines = {{.path = ""}}};
    uint64_t address;

    if ( !file || !file->names ||
         !elf_names_address(file->names, offset, &address) )
        return;
    ret->found = FILE_LATER;
    if ( !ret->steps &&
         (!file->inlines_read ||
          (file->inlines && !inline_names_know(file->inlines, address))) )
        return;
    make_ready(files, file, address, fd, &ret->steps);
    if ( file->inlines )
    {
        files->since = clock_read(CLOCK_MONOTONIC);
        inline_names_find(file->inlines, address, &ret->steps, &chain);
        charge_inlines(files, file);
    }
    ret->found = FILE_FOUND;
    put_frames(&chain, ret);
}

static enum elf_rows_status vdso_rows(struct row_table **ret)
{
    size_t size;
    const void *bytes = vdso_get(&size);

    return bytes ? elf_rows_of(bytes, size, ret, NULL) : ELF_ROWS_NOT_ELF;
}

/* As it is sent; empty if there is none, or no room for it. */
static void make_rows(struct kept_files *files, struct kept_file *file, int fd)
{
    struct row_table *table = NULL;
    enum elf_rows_status status = fd < 0 ? vdso_rows(&table)
                                         : elf_rows(fd, &table, NULL);

    file->rows_made = true;
    if ( status != ELF_ROWS_MADE || !row_table_put(table, &file->rows) ||
         file->rows.used > files->room / SHARE )
    {
        buffer_free(&file->rows);
        files->refused += status == ELF_ROWS_MADE;
    }
    row_table_close(table);
}

/* A piece of the table, from offset on. */
static void find_rows(struct kept_files *files, int fd,
                      const struct stat *status, uint64_t offset,
                      struct file_answer *ret)
{
    struct kept_file *file = keep_file(files, status);

    if ( !file )
        return;
    if ( !file->rows_made )
    {
        make_rows(files, file, fd);
        charge(files, file, file->rows.room);
    }
    ret->found = FILE_FOUND;
    ret->table = file->rows.used;
    ret->piece = file_piece(ret->table, offset);
    if ( ret->piece )
        memcpy(ret->rows, file->rows.bytes + offset, ret->piece);
}

void kept_files_answer(struct kept_files *files, int fd,
                       const struct file_question *question,
                       struct file_answer *ret)
{
    int own SCOPE_CLOSE = fd;
    struct stat status = {.st_dev = 0};

    memset(ret, 0, offsetof(struct file_answer, rows));
    ret->steps = question->steps;
    if ( fd < 0 || !fstat(fd, &status) )
        switch ( question->asks )
        {
        case FILE_FUNCTION:
            find_file_function(files, fd, &status, question->offset, ret);
            break;
        case FILE_INLINED:
            find_inlined(files, &own, &status, question->offset, ret);
            break;
        case FILE_ROWS:
            find_rows(files, fd, &status, question->offset, ret);
            break;
        }
    ret->bytes = files->bytes;
    ret->refused = files->refused;
}
