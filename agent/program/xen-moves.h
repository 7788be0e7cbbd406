/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether this guest has become another domain (saved and restored, migrated):
 * what dom0 mapped of it is gone then.
 */
#ifndef XENOPROF_AGENT_PROGRAM_XEN_MOVES_H
#define XENOPROF_AGENT_PROGRAM_XEN_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xen/io/xs_wire.h>

struct xen_moves {
    int fd;      /* of xenstore, only read from now on; -1: nobody says so */
    bool begun;  /* the watch was set in the domain that this is */
    size_t size; /* of what came and is not whole yet */
    char bytes[sizeof(struct xsd_sockmsg) + XENSTORE_PAYLOAD_MAX];
};

/* Begins to watch, by Xen's devices in this folder.  Without such a device
 * nothing happens. */
void xen_moves_open(struct xen_moves *moves, const char *devices);
/* Its fd is readable: takes what is there.  Returns whether the guest may have
 * moved since. */
bool xen_moves_happened(struct xen_moves *moves);

#endif
