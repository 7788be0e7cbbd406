/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of kernels: a head, and the image's bytes. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "guest/fingerprint.h"
#include "kept-kernels.h"
#include "cage/memory-file.h"

#define MAGIC "XPKEPT2" /* another with each change of flat images */
/* What a file is called while it is written; one that a killed daemon left is
 * written again. */
#define FRESH ".new"
#define PIECE 65536u

struct kept_head {
    char magic[8];
    uint8_t uuid[16];
    uint64_t base;
    uint64_t size; /* of the image */
    uint64_t sum;  /* of its bytes: damage would be wrong names */
};

/* The file's name is the uuid, in hexadecimal. */
static void path_of_kernel(const char *folder, const uint8_t uuid[16],
                           char path[PATH_MAX])
{
    int used = snprintf(path, PATH_MAX, "%.4000s/", folder);

    for ( unsigned int i = 0; i < 16; i++ )
        used += snprintf(path + used, PATH_MAX - (size_t)used, "%02x", uuid[i]);
}

static void begin_sum(struct fingerprint *sum)
{
    static const uint8_t key[16];

    fingerprint_start(sum, key);
}

static bool read_kept_head(int file, const uint8_t uuid[16],
                           struct kept_head *ret)
{
    struct stat status;

    return file >= 0 && fstat(file, &status) == 0 &&
           read(file, ret, sizeof(*ret)) == (ssize_t)sizeof(*ret) &&
           memcmp(ret->magic, MAGIC, sizeof(ret->magic)) == 0 &&
           memcmp(ret->uuid, uuid, sizeof(ret->uuid)) == 0 && ret->size &&
           ret->size <= KEPT_BYTES_MAX &&
           (uint64_t)status.st_size == sizeof(*ret) + ret->size;
}

/* Returns whether the draft has the bytes that the head means. */
static bool fill_draft(struct table_draft *draft, int file,
                       const struct kept_head *head)
{
    struct fingerprint sum;
    uint8_t bytes[PIECE];
    ssize_t got;

    begin_sum(&sum);
    while ( (got = read(file, bytes, sizeof(bytes))) > 0 )
    {
        if ( !table_draft_add(draft, bytes, (size_t)got) )
            return false;
        fingerprint_add(&sum, bytes, (size_t)got);
    }
    return got == 0 && fingerprint_end(&sum) == head->sum;
}

const struct sealed_table *kept_kernel_load(const char *folder,
                                            const uint8_t uuid[16],
                                            struct table_store *store,
                                            uint64_t *base)
{
    int file SCOPE_CLOSE = -1;
    struct table_draft *draft;
    struct kept_head head;
    char path[PATH_MAX];

    if ( !*folder )
        return NULL;
    path_of_kernel(folder, uuid, path);
    file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if ( !read_kept_head(file, uuid, &head) )
        return NULL;
    draft = table_draft_begin(store, head.size);
    if ( !draft || !fill_draft(draft, file, &head) )
    {
        table_draft_drop(draft);
        return NULL;
    }
    *base = head.base;
    return table_draft_end(draft);
}

/* Removes the file that was written first, if there are too many. */
static void remove_oldest_kernel(const char *folder)
{
    char path[PATH_MAX], oldest[PATH_MAX] = "";
    DIR *files = opendir(folder);
    struct timespec first = {0};
    struct dirent *entry;
    struct stat status;
    unsigned int count = 0;

    while ( files && (entry = readdir(files)) )
    {
        snprintf(path, sizeof(path), "%s/%.255s", folder, entry->d_name);
        if ( entry->d_name[0] == '.' || lstat(path, &status) )
            continue;
        if ( !count++ || status.st_mtim.tv_sec < first.tv_sec ||
             (status.st_mtim.tv_sec == first.tv_sec &&
              status.st_mtim.tv_nsec < first.tv_nsec) )
        {
            first = status.st_mtim;
            strcpy(oldest, path);
        }
    }
    if ( files )
        closedir(files);
    if ( count > KEPT_COUNT_MAX )
        unlink(oldest);
}

static bool write_all(int file, const void *bytes, size_t size)
{
    const char *at = bytes;
    ssize_t done = 0;

    for ( ; size && (done = write(file, at, size)) > 0; size -= (size_t)done )
        at += done;
    return size == 0;
}

static bool write_file(const char *path, const uint8_t uuid[16],
                       const void *image, size_t size, uint64_t base)
{
    int file SCOPE_CLOSE = open(
        path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct kept_head head = {.magic = MAGIC, .base = base, .size = size};
    struct fingerprint sum;

    memcpy(head.uuid, uuid, sizeof(head.uuid));
    begin_sum(&sum);
    fingerprint_add(&sum, image, size);
    head.sum = fingerprint_end(&sum);
    return file >= 0 && write_all(file, &head, sizeof(head)) &&
           write_all(file, image, size);
}

void kept_kernel_store(const char *folder, const uint8_t uuid[16],
                       const struct sealed_table *image, uint64_t base)
{
    char path[PATH_MAX], fresh[PATH_MAX];
    const void *bytes;
    size_t size;

    if ( !*folder || image->size > KEPT_BYTES_MAX )
        return;
    mkdir(folder, 0700);
    bytes = memory_file_map(image->file, &size);
    if ( !bytes )
        return;
    path_of_kernel(folder, uuid, path);
    snprintf(fresh, sizeof(fresh), "%.4000s/" FRESH, folder);
    if ( !write_file(fresh, uuid, bytes, size, base) || rename(fresh, path) )
        unlink(fresh);
    munmap((void *)bytes, size);
    remove_oldest_kernel(folder);
}

void kept_kernel_drop(const char *folder, const uint8_t uuid[16])
{
    char path[PATH_MAX];

    path_of_kernel(folder, uuid, path);
    if ( *folder )
        unlink(path);
}
