/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay.h"

/* A ring's data and its text form are far below this. */
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

static enum xenoprof_status read_open(struct xenoprof_handle *handle,
                                      const char *path, int fd, void **ret,
                                      size_t *size)
{
    struct stat status;
    uint8_t *bytes;

    if ( fstat(fd, &status) )
        return handle_fail_system(handle, "%s: cannot read it", path);
    if ( !S_ISREG(status.st_mode) || status.st_size > FILE_MAX )
        return handle_fail(handle, XENOPROF_INVALID,
                           "%s: this is no recorded ring", path);
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

enum xenoprof_status replay_read(struct xenoprof_handle *handle,
                                 const char *path, void **ret, size_t *size)
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
