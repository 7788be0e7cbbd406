/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xenhypfs.h>

#include "door.h"
#include "quiet-log.h"
#include "base/scope.h"

#define PATH(leaf) "/" XENOPROF_DOOR_DIR "/" leaf

static int hypfs_write(void *self, const char *line)
{
    return xenhypfs_write(self, PATH(XENOPROF_DOOR_COMMAND), line) ? -errno : 0;
}

static int hypfs_read(void *self, void *bytes, size_t size)
{
    struct xenhypfs_dirent *entry SCOPE_FREE = NULL;
    char *raw SCOPE_FREE = NULL;

    raw = xenhypfs_read_raw(self, PATH(XENOPROF_DOOR_STATE), &entry);
    if ( !raw )
        return -errno;
    if ( entry->size < size )
        size = entry->size;
    memcpy(bytes, raw, size);
    return (int)size;
}

static const struct door_leaves hypfs_leaves = {hypfs_write, hypfs_read};

int door_open(struct door *ret)
{
    xenhypfs_handle *handle = xenhypfs_open(quiet_log(), 0);
    struct xenhypfs_dirent *entries;
    unsigned int count;

    if ( !handle )
        return -errno;
    entries = xenhypfs_readdir(handle, "/", &count);
    if ( !entries && (errno == ENOSYS || errno == EOPNOTSUPP) )
    {
        xenhypfs_close(handle);
        return -EOPNOTSUPP;
    }
    free(entries);
    *ret = (struct door){&hypfs_leaves, handle};
    return 0;
}

void door_close(struct door *door)
{
    if ( door->self )
        xenhypfs_close(door->self);
    door->self = NULL;
}
