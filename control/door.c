/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "door.h"

/* A read that races is rare (one in a thousand under attack by readers). */
#define TRIES 16

/*
 * The library asks for the leaf's type before it writes, and that read can be
 * answered for another leaf.  A command that did reach the module and failed
 * left its reason; without one it is written again.
 */
static bool never_arrived(const struct door *door, int code)
{
    struct xenoprof_door_state state;

    if ( code != -ENOENT && code != -EINVAL && code != -EACCES &&
         code != -EISDIR && code != -ENOTDIR )
        return false;
    return door_state(door, &state) == 0 && state.message[0] == '\0';
}

static int write_line(const struct door *door, const char *line)
{
    int code = -EAGAIN;

    for ( int i = 0; i < TRIES; i++ )
    {
        code = door->leaves->write(door->self, line);
        if ( code >= 0 || !never_arrived(door, code) )
            break;
    }
    return code;
}

int door_command(const struct door *door, const char *format, ...)
{
    char line[XENOPROF_COMMAND_MAX];
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    if ( length < 0 || (size_t)length >= sizeof(line) )
        return -EMSGSIZE;
    return write_line(door, line);
}

/* 0, -EAGAIN if these bytes are not the leaf, -EPROTO. */
static int check(const struct xenoprof_door_state *state, int size)
{
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

static int read_once(const struct door *door, struct xenoprof_door_state *ret)
{
    int size = door->leaves->read(door->self, ret, sizeof(*ret));

    if ( size == -ENOENT || size == -EINVAL || size == -ENOBUFS )
        return -EAGAIN;
    return size < 0 ? size : check(ret, size);
}

int door_state(const struct door *door, struct xenoprof_door_state *ret)
{
    int code = -EAGAIN;

    for ( int i = 0; code == -EAGAIN && i < TRIES; i++ )
        code = read_once(door, ret);
    if ( code == 0 )
        ret->message[XENOPROF_MESSAGE_MAX - 1] = '\0';
    return code == -EAGAIN ? -ENOENT : code;
}
