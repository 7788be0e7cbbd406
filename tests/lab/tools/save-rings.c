/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * save-rings FOLDER: saves the rings of the running session as they are now
 * (xenoprof_source_record()), so that their contents can be examined later.
 */
#include <stdio.h>
#include <stdlib.h>

#include <xenhypfs.h>

#include <xenoprof/door.h>

#include "libxenoprof.h"

static void fail(const char *what)
{
    fprintf(stderr, "save-rings: %s\n", what);
    exit(1);
}

static uint64_t status_frame(void)
{
    xenhypfs_handle *hypfs = xenhypfs_open(NULL, 0);
    struct xenhypfs_dirent *entry;
    struct xenoprof_door_state *state = hypfs ? (void *)xenhypfs_read_raw(
                                                    hypfs, "/xenoprof/state",
                                                    &entry)
                                              : NULL;

    if ( !state || state->magic != XENOPROF_DOOR_MAGIC || !state->status_mfn )
        fail("the door does not show a session");
    return state->status_mfn;
}

int main(int argc, char **argv)
{
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_source *source;

    if ( argc != 2 || !handle )
        fail("usage: save-rings FOLDER");
    if ( xenoprof_source_xen(handle, status_frame(), &source) ||
         xenoprof_source_refresh(source) ||
         xenoprof_source_record(source, argv[1]) )
        fail(xenoprof_message(handle));
    xenoprof_source_close(source);
    xenoprof_close(handle);
    return 0;
}
