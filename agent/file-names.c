/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A path is one of the process's own: it never leads out of its root, whatever
 * links are on the way.  A file is known by what it is, not by its path.
 */
#include "file-names.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/scope.h"

/* Of all that there is room for, a file may take so much. */
#define SHARE 2u

#define DEBUG_FOLDER "/usr/lib/debug/.build-id"

struct kept_file {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
    struct elf_names *names; /* NULL: it is not an ELF file */
    size_t bytes;
    TAILQ_ENTRY(kept_file) next;
};

struct file_names {
    TAILQ_HEAD(files_in_use, kept_file) files; /* the last one used first */
    size_t room, bytes;
    uint64_t refused;
};

struct file_names *file_names_open(size_t bytes)
{
    struct file_names *files = calloc(1, sizeof(*files));

    if ( !files )
        return NULL;
    TAILQ_INIT(&files->files);
    files->room = bytes;
    return files;
}

static void forget(struct file_names *files, struct kept_file *file)
{
    TAILQ_REMOVE(&files->files, file, next);
    files->bytes -= file->bytes;
    elf_names_free(file->names);
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

/* No device does anything by being opened so. */
static int open_in(int root, const char *path)
{
    const struct open_how how = {
        .flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
        .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};

    return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

static int open_root(int32_t tgid)
{
    char path[32];
    int root;

    snprintf(path, sizeof(path), "/proc/%d/root", tgid);
    root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return root >= 0 ? root : open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Returns a descriptor of the regular file with that inode number, or -1. */
static int open_file(int32_t tgid, const char *path, uint64_t inode,
                     struct stat *ret)
{
    int root SCOPE_CLOSE = open_root(tgid);
    int fd = root >= 0 && *path == '/' ? open_in(root, path) : -1;

    if ( fd >= 0 && !fstat(fd, ret) && S_ISREG(ret->st_mode) &&
         ret->st_ino == inode )
        return fd;
    if ( fd >= 0 )
        close(fd);
    return -1;
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

/* Debian's packages of debug symbols have their files there. */
static int open_debug_file(const struct elf_names *names)
{
    uint8_t id[ELF_BUILD_ID_MAX];
    size_t size = elf_names_build_id(names, id);
    char path[sizeof(DEBUG_FOLDER) + 2 * ELF_BUILD_ID_MAX + 16];
    int at;

    if ( size < 2 )
        return -1;
    at = snprintf(path, sizeof(path), DEBUG_FOLDER "/%02x/", id[0]);
    for ( size_t i = 1; i < size; i++ )
        at += snprintf(path + at, sizeof(path) - (size_t)at, "%02x", id[i]);
    snprintf(path + at, sizeof(path) - (size_t)at, ".debug");
    return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

static struct elf_names *read_names(int fd, size_t most)
{
    struct elf_names *names = elf_names_read(fd, most);
    int debug SCOPE_CLOSE = -1;

    if ( names && !elf_names_are_whole(names) )
        debug = open_debug_file(names);
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

static struct kept_file *add(struct file_names *files, int fd,
                             const struct stat *status)
{
    struct kept_file *file = calloc(1, sizeof(*file));

    if ( !file )
        return NULL;
    *file = (struct kept_file){.device = status->st_dev,
                               .inode = status->st_ino,
                               .size = status->st_size,
                               .changed = status->st_mtim};
    file->names = read_names(fd, files->room / SHARE);
    file->bytes = sizeof(*file) +
                  (file->names ? elf_names_bytes(file->names) : 0);
    files->refused += !file->names;
    files->bytes += file->bytes;
    TAILQ_INSERT_HEAD(&files->files, file, next);
    trim(files);
    return file;
}

const struct elf_names *file_names_get(struct file_names *files, int32_t tgid,
                                       const char *path, uint64_t inode)
{
    struct stat status;
    int fd SCOPE_CLOSE = open_file(tgid, path, inode, &status);
    struct kept_file *file = fd >= 0 ? find(files, &status) : NULL;

    if ( file )
    {
        TAILQ_REMOVE(&files->files, file, next);
        TAILQ_INSERT_HEAD(&files->files, file, next);
    }
    else if ( fd >= 0 )
        file = add(files, fd, &status);
    return file ? file->names : NULL;
}
