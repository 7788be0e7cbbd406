/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A path is one of the process's own: it never leads out of its root, whatever
 * links are on the way.
 */
#include "file-names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/table.h"
#include "file-identity.h"

/* Files that have numbers at a time. */
#define NUMBERS_MAX 8192u

struct numbered_file {
    struct file_identity is;
    uint64_t number;
};

struct file_names {
    struct file_roots roots;
    struct kept_files *kept;   /* read here; */
    struct file_reader reader; /* or by others, if it has an ask() */
    struct table numbered;     /* struct numbered_file */
    uint64_t numbers;
    struct file_answer answer;
};

static struct file_names *open_names(int folder)
{
    struct file_names *files = calloc(1, sizeof(*files));

    if ( !files )
        return NULL;
    files->roots.all = folder;
    table_init(&files->numbered, sizeof(struct file_identity),
               sizeof(struct numbered_file));
    return files;
}

struct file_names *file_names_open_below(size_t bytes, int folder)
{
    struct file_names *files = open_names(folder);

    if ( files )
        files->kept = kept_files_open(bytes, &files->roots);
    if ( files && files->kept )
        return files;
    free(files);
    return NULL;
}

struct file_names *file_names_open(size_t bytes)
{
    return file_names_open_below(bytes, -1);
}

struct file_names *file_names_open_for(const struct file_reader *reader)
{
    struct file_names *files = open_names(-1);

    if ( files )
        files->reader = *reader;
    return files;
}

void file_names_close(struct file_names *files)
{
    if ( !files )
        return;
    kept_files_close(files->kept);
    table_free(&files->numbered);
    free(files);
}

size_t file_names_bytes(const struct file_names *files)
{
    return files->kept ? kept_files_bytes(files->kept)
                       : files->reader.bytes(files->reader.self);
}

uint64_t file_names_refused(const struct file_names *files)
{
    return files->kept ? kept_files_refused(files->kept)
                       : files->reader.refused(files->reader.self);
}

uint64_t file_names_cpu(const struct file_names *files)
{
    return files->kept ? 0 : files->reader.cpu(files->reader.self);
}

void file_names_begin_anew(struct file_names *files)
{
    if ( !files->kept )
        files->reader.begin_anew(files->reader.self);
}

void file_names_rest(struct file_names *files)
{
    if ( files->kept )
        kept_files_rest(files->kept);
    else
        files->reader.look(files->reader.self);
}

int file_names_fd(const struct file_names *files)
{
    return files->kept ? -1 : files->reader.fd;
}

/* Returns a descriptor, for a reader one that only names it. */
static int open_any(const struct file_names *files, int32_t tgid,
                    const char *path, struct stat *ret)
{
    int fd;

    if ( !files->kept )
        return file_roots_name(tgid, path, ret);
    fd = file_roots_open(&files->roots, tgid, path);
    if ( fd < 0 || !fstat(fd, ret) )
        return fd;
    close(fd);
    return -1;
}

/* Returns a descriptor of the regular file with that inode number, or -1. */
static int open_in(const struct file_names *files, int32_t tgid,
                   const char *path, uint64_t inode, struct stat *ret)
{
    int fd = *path == '/' ? open_any(files, tgid, path, ret) : -1;

    /* A file of another machine may be a copy, with another inode number. */
    if ( fd >= 0 && (files->roots.all >= 0 || ret->st_ino == inode) )
        return fd;
    if ( fd >= 0 )
        close(fd);
    return -1;
}

/* The same; of the vDSO it returns true, and no descriptor. */
static bool open_mapped(const struct file_names *files, int32_t tgid,
                        const char *path, uint64_t inode, struct stat *status,
                        int *fd)
{
    const bool here = files->roots.all < 0;

    *fd = -1;
    *status = (struct stat){.st_dev = 0};
    /* What the kernel maps into each process is the same in ours, and has no
     * file: no other one is of device 0 and inode 0. */
    if ( here && !strcmp(path, "[vdso]") )
        return true;
    *fd = open_in(files, tgid, path, inode, status);
    /* Events have paths as the process sees them, /proc as we do: they differ
     * where it is in a chroot(). */
    if ( *fd < 0 && here )
        *fd = open_in(files, 0, path, inode, status);
    return *fd >= 0;
}

/* Returns 0 if there is no memory. */
static uint64_t number_of_file(struct file_names *files,
                               const struct stat *status)
{
    const struct file_identity is = file_identity_of(status);
    struct numbered_file *file;

    if ( files->numbered.count >= NUMBERS_MAX &&
         !table_find(&files->numbered, &is) )
        table_free(&files->numbered);
    file = table_put(&files->numbered, &is);
    if ( file && !file->number )
        file->number = ++files->numbers;
    return file ? file->number : 0;
}

uint64_t file_names_number(struct file_names *files, int32_t tgid,
                           const char *path, uint64_t inode)
{
    struct stat status;
    int fd SCOPE_CLOSE = -1;

    return open_mapped(files, tgid, path, inode, &status, &fd)
               ? number_of_file(files, &status)
               : 0;
}

const struct file_answer *file_names_ask(struct file_names *files,
                                         const struct mapped_file *mapped,
                                         enum file_asks asks, uint64_t *steps,
                                         uint64_t *number)
{
    struct file_question question = {
        .asks = asks, .offset = mapped->offset, .steps = steps ? *steps : 0};
    struct stat status;
    int fd;

    *number = 0;
    if ( !open_mapped(files, mapped->tgid, mapped->path, mapped->inode, &status,
                      &fd) )
        return NULL;
    *number = number_of_file(files, &status);
    if ( files->kept )
        kept_files_answer(files->kept, fd, &question, &files->answer);
    else
        files->reader.ask(files->reader.self, fd, &status, &question,
                          &files->answer);
    if ( steps )
        *steps = files->answer.steps;
    return &files->answer;
}
