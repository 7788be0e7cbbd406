/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a folder of saved rings into memory. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay.h"

#define PAGE XENOPROF_PAGE_SIZE
/* Far more than a ring's data or text needs. */
#define FILE_MAX (256u << 20)

void replay_ring_path(const char *folder, uint32_t number, const char *suffix,
                      char ret[REPLAY_PATH])
{
    snprintf(ret, REPLAY_PATH, "%s/ring-%u.%s", folder, number, suffix);
}

static bool read_all(int fd, uint8_t *bytes, size_t size)
{
    while ( size )
    {
        ssize_t done = read(fd, bytes, size);

        if ( done < 0 && errno == EINTR )
            continue;
        if ( done <= 0 )
            return false;
        bytes += done;
        size -= done;
    }
    return true;
}

/* A whole file, malloc'ed, with a zero after it. */
static enum xenoprof_status read_open(struct xenoprof_handle *handle,
                                      const char *path, int fd, void **ret,
                                      size_t *size)
{
    struct stat status;
    uint8_t *bytes;

    if ( fstat(fd, &status) )
        return handle_fail_system(handle, "%s: cannot read it", path);
    if ( !S_ISREG(status.st_mode) || status.st_size > FILE_MAX )
        return handle_fail(handle, XENOPROF_INVALID, "%s: not a saved ring",
                           path);
    bytes = malloc(status.st_size + 1);
    if ( !bytes )
        return handle_no_memory(handle);
    if ( !read_all(fd, bytes, status.st_size) )
    {
        free(bytes);
        return handle_fail_system(handle, "%s: cannot read it", path);
    }
    bytes[status.st_size] = 0;
    *ret = bytes;
    *size = status.st_size;
    return XENOPROF_OK;
}

/* The same by path; XENOPROF_NOT_FOUND, without a message, if there is no such
 * file. */
static enum xenoprof_status read_file(struct xenoprof_handle *handle,
                                      const char *path, void **ret,
                                      size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    enum xenoprof_status status;

    if ( fd < 0 && errno == ENOENT )
        return XENOPROF_NOT_FOUND;
    if ( fd < 0 )
        return handle_fail_system(handle, "%s: cannot open it", path);
    status = read_open(handle, path, fd, ret, size);
    close(fd);
    return status;
}

enum xenoprof_status replay_load_pages(struct xenoprof_handle *handle,
                                       const char *path, size_t pages,
                                       void *ret, size_t size)
{
    SCOPE_FREE void *bytes = NULL;
    size_t length;
    enum xenoprof_status status = read_file(handle, path, &bytes, &length);

    if ( status )
        return status;
    if ( length != pages * PAGE )
        return handle_fail(handle, XENOPROF_INVALID,
                           "%s: has %zu bytes, must have %zu", path, length,
                           pages * PAGE);
    memcpy(ret, bytes, size);
    return XENOPROF_OK;
}

static enum xenoprof_status load_binary(struct replay_folder *folder,
                                        struct replay_ring *ring)
{
    char path[REPLAY_PATH];
    size_t size;
    enum xenoprof_status status;

    replay_ring_path(folder->path, ring->number, "page", path);
    status = replay_load_pages(folder->handle, path, 1, &ring->page,
                               sizeof(ring->page));
    if ( status )
        return status;
    replay_ring_path(folder->path, ring->number, "data", path);
    status = read_file(folder->handle, path, (void **)&ring->data, &size);
    if ( status == XENOPROF_NOT_FOUND || (!status && (!size || size % PAGE)) ||
         (!status && size / PAGE != ring->page.data_pages) ||
         (!status && size / PAGE > XENOPROF_DATA_PAGES_MAX) )
        return handle_fail(folder->handle, XENOPROF_INVALID,
                           "%s: the ring's data is not there, or not as long "
                           "as its page says",
                           path);
    return status;
}

static enum xenoprof_status load_text(struct replay_folder *folder,
                                      struct replay_ring *ring)
{
    SCOPE_FREE void *text = NULL;
    char path[REPLAY_PATH];
    size_t size;
    enum xenoprof_status status;

    replay_ring_path(folder->path, ring->number, "text", path);
    status = read_file(folder->handle, path, &text, &size);
    if ( status == XENOPROF_NOT_FOUND )
        return handle_fail(folder->handle, XENOPROF_INVALID,
                           "%s: the file is listed, but cannot be found", path);
    return status ? status : replay_load_text(folder->handle, path, text, ring);
}

static enum xenoprof_status load_ring(struct replay_folder *folder,
                                      uint32_t number)
{
    struct replay_ring ring = {.number = number}, *added = NULL;
    enum xenoprof_status status = load_binary(folder, &ring);

    if ( status == XENOPROF_NOT_FOUND )
        status = load_text(folder, &ring);
    if ( !status && !(added = vector_add(folder)) )
        status = handle_no_memory(folder->handle);
    if ( status )
    {
        free(ring.data);
        return status;
    }
    *added = ring;
    folder->pages += 1 + ring.page.data_pages;
    return XENOPROF_OK;
}

/* Whether name is ring-N.page or ring-N.text, exactly as we spell them, of a
 * ring that is not loaded. */
static bool names_ring(const struct replay_folder *folder, const char *name,
                       uint32_t *ret)
{
    char suffix[8], spelled[32];

    if ( sscanf(name, "ring-%4u.%7s", ret, suffix) != 2 ||
         *ret + 1 >= XENOPROF_RINGS_MAX ||
         (strcmp(suffix, "page") && strcmp(suffix, "text")) )
        return false;
    snprintf(spelled, sizeof(spelled), "ring-%u.%s", *ret, suffix);
    if ( strcmp(name, spelled) )
        return false;
    for ( size_t i = 0; i < folder->count; i++ )
        if ( folder->items[i].number == *ret )
            return false;
    return true;
}

enum xenoprof_status replay_load(struct replay_folder *folder)
{
    DIR *directory = opendir(folder->path);
    enum xenoprof_status status = XENOPROF_OK;
    struct dirent *entry;
    uint32_t number;

    if ( !directory )
        return handle_fail_system(
            folder->handle, "%s: cannot look into the folder", folder->path);
    while ( !status && (entry = readdir(directory)) )
        if ( names_ring(folder, entry->d_name, &number) )
            status = load_ring(folder, number);
    closedir(directory);
    if ( !status && !folder->count )
        status = handle_fail(folder->handle, XENOPROF_INVALID,
                             "%s: no saved rings in this folder "
                             "(ring-0.page, ring-0.text, ...)",
                             folder->path);
    return status;
}

void replay_free(struct replay_folder *folder)
{
    for ( size_t i = 0; i < folder->count; i++ )
        free(folder->items[i].data);
    vector_free(folder);
}
