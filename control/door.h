/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door from dom0's side: commands in, state out (<xenoprof/door.h>).
 */
#ifndef XENOPROF_CONTROL_DOOR_H
#define XENOPROF_CONTROL_DOOR_H

#include <stddef.h>

#include <xenoprof/door.h>

/*
 * The two things that are done with the leaves.  write: 0 or a negative
 * errno.  read: up to size bytes of the state leaf, as they come; the number
 * of bytes or a negative errno.
 */
struct door_leaves {
    int (*write)(void *self, const char *line);
    int (*read)(void *self, void *bytes, size_t size);
};

struct door {
    const struct door_leaves *leaves;
    void *self;
};

/* Format one command and write it.  0 or a negative errno; -EMSGSIZE if it is
 * longer than a command may be. */
int door_command(const struct door *door, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * The state leaf, whole: Xen answers a read now and then with another leaf's
 * bytes or with ENOENT or EINVAL, so it is read until it is itself, a few
 * times.  0; -ENOENT: no door, or it never was; -EPROTO: another version of
 * the module; or what Xen says.
 */
int door_state(const struct door *door, struct xenoprof_door_state *ret);

/* Xen's hypfs.  0 or a negative errno; -EOPNOTSUPP: Xen has no hypfs. */
int door_open(struct door *ret);
void door_close(struct door *door);

#endif
