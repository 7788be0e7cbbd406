/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A path is one of the process's own: it never leads out of its root, whatever
 * links are on the way.  A file is known by what it is, not by its path.
 */
#include "file-names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/scope.h"
#include "debug-file.h"
#include "file-roots.h"
#include "rows/cfi/elf-rows.h"
#include "vdso.h"

/* Of all that there is room for, a file may take so much. */
#define SHARE 2u

/* ns that the debug information of a file is held, after it was read last. */
#define AWAKE 2000000000ull

struct kept_file {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
    uint64_t number;
    bool names_read, rows_made, inlines_read;
    struct elf_names *names;      /* NULL: it is not an ELF file */
    struct inline_names *inlines; /* NULL: it has no debug information */
    struct buffer rows; /* its table, as it is sent; empty: it has none */
    size_t bytes, inlines_bytes; /* these are part of those */
    uint64_t inlines_refused;
    TAILQ_ENTRY(kept_file) next;
};

struct file_names {
    TAILQ_HEAD(files_in_use, kept_file) files; /* the last one used first */
    struct file_roots roots;
    size_t room, bytes;
    uint64_t refused, numbers;
    struct kept_file *awake; /* whose debug information is held; NULL: none */
    uint64_t since;          /* when it was read last */
};

struct file_names *file_names_open_below(size_t bytes, int folder)
{
    struct file_names *files = calloc(1, sizeof(*files));

    if ( !files )
        return NULL;
    TAILQ_INIT(&files->files);
    files->roots.all = folder;
    files->room = bytes;
    return files;
}

struct file_names *file_names_open(size_t bytes)
{
    return file_names_open_below(bytes, -1);
}

static void forget(struct file_names *files, struct kept_file *file)
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

void file_names_close(struct file_names *files)
{
    while ( files && !TAILQ_EMPTY(&files->files) )
        forget(files, TAILQ_FIRST(&files->files));
    free(files);
}

size_t file_names_bytes(const struct file_names *files)
{
    return files->bytes;
}

uint64_t file_names_refused(const struct file_names *files)
{
    return files->refused;
}

/* A file of another machine may be a copy, with another inode number. */
static bool is_mapped(const struct file_names *files, const struct stat *status,
                      uint64_t inode)
{
    return files->roots.all >= 0 || status->st_ino == inode;
}

/* Returns a descriptor of the regular file with that inode number, or -1. */
static int open_in(const struct file_names *files, int32_t tgid,
                   const char *path, uint64_t inode, struct stat *ret)
{
    int fd = *path == '/' ? file_roots_open(&files->roots, tgid, path) : -1;

    if ( fd >= 0 && !fstat(fd, ret) && is_mapped(files, ret, inode) )
        return fd;
    if ( fd >= 0 )
        close(fd);
    return -1;
}

/* The same.  Events have paths as the process sees them, /proc as we do: they
 * differ where it is in a chroot(). */
static int open_file(const struct file_names *files, int32_t tgid,
                     const char *path, uint64_t inode, struct stat *ret)
{
    int fd = open_in(files, tgid, path, inode, ret);

    return fd >= 0 || files->roots.all >= 0
               ? fd
               : open_in(files, 0, path, inode, ret);
}

/* What the kernel maps into each process is the same in ours, and has no file:
 * no other one is of device 0 and inode 0. */
static bool is_vdso(const struct file_names *files, const char *path,
                    struct stat *status)
{
    *status = (struct stat){.st_dev = 0};
    return files->roots.all < 0 && !strcmp(path, "[vdso]");
}

/* The same; of the vDSO it returns true, and no descriptor. */
static bool open_mapped(const struct file_names *files, int32_t tgid,
                        const char *path, uint64_t inode, struct stat *status,
                        int *fd)
{
    *fd = -1;
    if ( is_vdso(files, path, status) )
        return true;
    *fd = open_file(files, tgid, path, inode, status);
    return *fd >= 0;
}

static struct kept_file *find(const struct file_names *files,
                              const struct stat *status)
{
    struct kept_file *file;

    TAILQ_FOREACH(file, &files->files, next)
    if ( file->device == status->st_dev && file->inode == status->st_ino &&
         file->size == status->st_size &&
         file->changed.tv_sec == status->st_mtim.tv_sec &&
         file->changed.tv_nsec == status->st_mtim.tv_nsec )
        return file;
    return NULL;
}

static struct elf_names *vdso_names(size_t most)
{
    size_t size;
    const void *bytes = vdso_get(&size);

    return bytes ? elf_names_of(bytes, size, most) : NULL;
}

static struct elf_names *read_names(const struct file_names *files, int fd)
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

/* Makes room; what was read last stays, whatever it takes. */
static void trim(struct file_names *files)
{
    struct kept_file *last;

    while ( files->bytes > files->room &&
            (last = TAILQ_LAST(&files->files, files_in_use)) !=
                TAILQ_FIRST(&files->files) )
        forget(files, last);
}

/* The file is used now, and takes so much more. */
static void charge(struct file_names *files, struct kept_file *file,
                   size_t bytes)
{
    TAILQ_REMOVE(&files->files, file, next);
    TAILQ_INSERT_HEAD(&files->files, file, next);
    file->bytes += bytes;
    files->bytes += bytes;
    trim(files);
}

static struct kept_file *add(struct file_names *files,
                             const struct stat *status)
{
    struct kept_file *file = calloc(1, sizeof(*file));

    if ( !file )
        return NULL;
    *file = (struct kept_file){.device = status->st_dev,
                               .inode = status->st_ino,
                               .size = status->st_size,
                               .changed = status->st_mtim,
                               .number = ++files->numbers};
    TAILQ_INSERT_HEAD(&files->files, file, next);
    charge(files, file, sizeof(*file));
    return file;
}

/* Returns what is kept of a file. */
static struct kept_file *keep(struct file_names *files,
                              const struct stat *status)
{
    struct kept_file *file = find(files, status);

    if ( file )
        charge(files, file, 0);
    return file ? file : add(files, status);
}

/* Returns what is kept of a file, with its names; of the vDSO without a
 * descriptor. */
static struct kept_file *keep_named(struct file_names *files, int fd,
                                    const struct stat *status)
{
    struct kept_file *file = keep(files, status);

    if ( !file || file->names_read )
        return file;
    file->names_read = true;
    file->names = read_names(files, fd);
    files->refused += !file->names;
    charge(files, file, file->names ? elf_names_bytes(file->names) : 0);
    return file;
}

const struct elf_names *file_names_get(struct file_names *files, int32_t tgid,
                                       const char *path, uint64_t inode)
{
    struct stat status;
    int fd SCOPE_CLOSE = -1;
    struct kept_file *file;

    if ( !open_mapped(files, tgid, path, inode, &status, &fd) )
        return NULL;
    file = keep_named(files, fd, &status);
    return file ? file->names : NULL;
}

static void charge_inlines(struct file_names *files, struct kept_file *file)
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

static void rest(struct file_names *files)
{
    if ( files->awake )
        inline_names_rest(files->awake->inlines);
    files->awake = NULL;
}

void file_names_rest(struct file_names *files)
{
    if ( files->awake && clock_read(CLOCK_MONOTONIC) - files->since >= AWAKE )
        rest(files);
}

/* The debug information is in the file itself, or in one apart. */
static void read_inlines(struct file_names *files, struct kept_file *file,
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

static void wake(struct file_names *files, struct kept_file *file, int fd)
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
static void make_ready(struct file_names *files, struct kept_file *file,
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

bool file_names_inlined(struct file_names *files,
                        const struct mapped_file *mapped, uint64_t *steps,
                        struct inline_chain *ret)
{
    struct stat status;
    int fd SCOPE_CLOSE = open_file(files, mapped->tgid, mapped->path,
                                   mapped->inode, &status);
    struct kept_file *file = fd < 0 ? NULL : keep_named(files, fd, &status);
    uint64_t address;

    ret->count = 0;
    if ( !file || !file->names ||
         !elf_names_address(file->names, mapped->offset, &address) )
        return true;
    if ( !*steps &&
         (!file->inlines_read ||
          (file->inlines && !inline_names_know(file->inlines, address))) )
        return false;
    make_ready(files, file, address, &fd, steps);
    if ( !file->inlines )
        return true;
    files->since = clock_read(CLOCK_MONOTONIC);
    inline_names_find(file->inlines, address, steps, ret);
    charge_inlines(files, file);
    return true;
}

uint64_t file_names_number(struct file_names *files, int32_t tgid,
                           const char *path, uint64_t inode)
{
    struct stat status;
    int fd SCOPE_CLOSE = -1;
    const struct kept_file *file;

    if ( !open_mapped(files, tgid, path, inode, &status, &fd) )
        return 0;
    file = keep(files, &status);
    return file ? file->number : 0;
}

static enum elf_rows_status vdso_rows(struct row_table **ret)
{
    size_t size;
    const void *bytes = vdso_get(&size);

    return bytes ? elf_rows_of(bytes, size, ret, NULL) : ELF_ROWS_NOT_ELF;
}

/* As it is sent; empty if there is none, or no room for it. */
static void make_rows(struct file_names *files, struct kept_file *file, int fd)
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

uint64_t file_names_rows(struct file_names *files, int32_t tgid,
                         const char *path, uint64_t inode,
                         const struct buffer **rows)
{
    struct stat status;
    int fd SCOPE_CLOSE = -1;
    struct kept_file *file;

    if ( !open_mapped(files, tgid, path, inode, &status, &fd) )
        return 0;
    file = keep(files, &status);
    if ( !file )
        return 0;
    if ( !file->rows_made )
    {
        make_rows(files, file, fd);
        charge(files, file, file->rows.room);
    }
    *rows = &file->rows;
    return file->number;
}
