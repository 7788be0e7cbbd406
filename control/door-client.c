/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands to the module and its state, through hypfs.  Xen may answer a
 * request for one leaf with another leaf, so reads and writes are repeated.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenhypfs.h>

#include "base/scope.h"
#include "door-client.h"
#include "xen-access.h"

#define PATH(leaf) "/" XENOPROF_DOOR_DIR "/" leaf

/* A read that races is rare (one in a thousand under attack by readers). */
#define TRIES 16

/* More than the pieces in which the largest session is made. */
#define PIECES 65536

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

static const struct door_client_leaves hypfs_leaves = {hypfs_write, hypfs_read};

int door_client_open(struct door_client *ret)
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
    *ret = (struct door_client){&hypfs_leaves, handle};
    return 0;
}

void door_client_close(struct door_client *door)
{
    if ( door->self )
        xenhypfs_close(door->self);
    door->self = NULL;
}

/*
 * libxenhypfs reads the leaf's type before it writes, and that read may be
 * answered for another leaf: then the write fails before the module sees the
 * command.  A command that the module refused left a message in the state;
 * without a message the command never arrived.
 */
static bool never_arrived(const struct door_client *door, int error)
{
    struct xenoprof_door_state state;

    if ( error != -ENOENT && error != -EINVAL && error != -EACCES &&
         error != -EISDIR && error != -ENOTDIR )
        return false;
    return door_client_state(door, &state) == 0 && state.message[0] == '\0';
}

static int write_once(const struct door_client *door, const char *line)
{
    int error = -EAGAIN;

    for ( int i = 0; i < TRIES; i++ )
    {
        error = door->leaves->write(door->self, line);
        if ( error >= 0 || !never_arrived(door, error) )
            break;
    }
    return error;
}

int door_client_command(const struct door_client *door, const char *format, ...)
{
    char line[XENOPROF_COMMAND_MAX];
    int length, error = -EAGAIN;
    va_list args;

    va_start(args, format);
    length = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    if ( length < 0 || (size_t)length >= sizeof(line) )
        return -EMSGSIZE;
    for ( int i = 0; error == -EAGAIN && i < PIECES; i++ )
        error = write_once(door, line);
    return error;
}

/* The longest list is shorter than the longest command. */
int door_client_fetch(const struct door_client *door, unsigned int domain,
                      const struct xenoprof_fetch *list)
{
    char text[XENOPROF_COMMAND_MAX], *to = text;

    if ( !list )
        return door_client_command(door, "fetch id=%u", domain);
    if ( !xenoprof_fetch_is_right(list) )
        return -EINVAL;
    to += sprintf(to, "list=%u isolated=%u", list->list, list->isolated);
    for ( unsigned int i = 0; i < list->steps; i++ )
    {
        const struct xenoprof_fetch_step *step = &list->step[i];
        bool follows = step->action == XENOPROF_FETCH_FOLLOW;

        to += sprintf(to, "%s%u:%u:%u:%c", i ? "," : " steps=", step->from,
                      step->offset, step->length, follows ? 'f' : 's');
    }
    for ( uint32_t i = 0; i < list->vcpus; i++ )
        to += sprintf(to, "%s%" PRIx64, i ? "," : " bases=", list->base[i]);
    return door_client_command(door, "fetch id=%u %s", domain, text);
}

void door_client_empty(const struct door_client *door)
{
    door_client_command(door, "stop");
    door_client_command(door, "reset");
}

/* Returns 0, -EAGAIN if there was no state or it is torn, or -EPROTO. */
static int read_door_once(const struct door_client *door,
                          struct xenoprof_door_state *state)
{
    int size = door->leaves->read(door->self, state, sizeof(*state));

    if ( size == -ENOENT || size == -EINVAL || size == -ENOBUFS )
        return -EAGAIN;
    if ( size < 0 )
        return size;
    /* These bytes may be those of another leaf. */
    if ( size < (int)sizeof(*state) || state->magic != XENOPROF_DOOR_MAGIC ||
         state->leaf != XENOPROF_DOOR_LEAF_STATE )
        return -EAGAIN;
    if ( state->version != XENOPROF_ABI_VERSION ||
         state->size != sizeof(*state) )
        return -EPROTO;
    if ( state->sequence != state->sequence_end )
        return -EAGAIN;
    return 0;
}

int door_client_state(const struct door_client *door,
                      struct xenoprof_door_state *ret)
{
    int error = -EAGAIN;

    for ( int i = 0; error == -EAGAIN && i < TRIES; i++ )
        error = read_door_once(door, ret);
    if ( error == 0 )
        ret->message[XENOPROF_MESSAGE_MAX - 1] = '\0';
    return error == -EAGAIN ? -ENOENT : error;
}
