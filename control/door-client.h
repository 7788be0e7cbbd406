/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dom0's side of the door, hypfs' /xenoprof (<xenoprof/door.h>): commands go
 * in, the module's state comes out.
 */
#ifndef XENOPROF_CONTROL_DOOR_CLIENT_H
#define XENOPROF_CONTROL_DOOR_CLIENT_H

#include <stddef.h>

#include <xenoprof/door.h>
#include <xenoprof/fetch.h>

/* How the leaves are reached: hypfs, or a test. */
struct door_client_leaves {
    /* Returns 0 or a negative errno. */
    int (*write)(void *self, const char *line);
    /* Reads up to size bytes of the state leaf, unchecked.  Returns their
     * number, or a negative errno. */
    int (*read)(void *self, void *bytes, size_t size);
};

struct door_client {
    const struct door_client_leaves *leaves;
    void *self;
};

/* Opens Xen's hypfs.  Returns 0 or a negative errno; -EOPNOTSUPP: Xen has no
 * hypfs. */
int door_client_open(struct door_client *ret);
/* Does nothing if the door is closed already. */
void door_client_close(struct door_client *door);

/* Formats one command and writes it, again and again while the module says that
 * it has done a part.  Returns 0 or a negative errno; -EMSGSIZE: the command is
 * longer than XENOPROF_COMMAND_MAX. */
int door_client_command(const struct door_client *door, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Gives a domain a fetch list, or with NULL takes away the one it has. Returns
 * as door_client_command() does; -EINVAL: the list is wrong, and Xen was not
 * asked. */
int door_client_fetch(const struct door_client *door, unsigned int domain,
                      const struct xenoprof_fetch *list);

/* Ends the session, if there is one, and frees its rings, piece by piece: to be
 * called before the module is unloaded, since an unload does the same while all
 * pCPUs stand still.  What is refused is left to the unload. */
void door_client_empty(const struct door_client *door);

/*
 * Reads the whole state leaf.  Now and then Xen answers a read with the bytes
 * of another leaf, or with ENOENT or EINVAL; such a read is repeated a few
 * times.  Returns 0, -ENOENT: the module is not loaded; -EPROTO: the module is
 * of another version; or Xen's negative errno.
 */
int door_client_state(const struct door_client *door,
                      struct xenoprof_door_state *ret);

#endif
