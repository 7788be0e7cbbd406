/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * save-rings FILE: saves the data of all rings of the running session as they
 * are now, so that a scenario can look for what is in them.
 */
#include <stdio.h>
#include <stdlib.h>

#include <xenhypfs.h>

#include <xenoprof/door.h>

#include "libxenoprof/source.h"

static void give_up(const char *what)
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
        give_up("the door does not show a session");
    return state->status_mfn;
}

static void save(const struct xenoprof_source *source, const char *path)
{
    FILE *file = fopen(path, "we");

    if ( !file )
        give_up("cannot make the file");
    for ( size_t i = 0; i < source->rings.count; i++ )
    {
        const struct source_ring *ring = &source->rings.items[i];

        if ( fwrite(ring->data, 1, ring->size, file) != ring->size )
            give_up("cannot write the file");
    }
    if ( fclose(file) )
        give_up("cannot write the file");
}

int main(int argc, char **argv)
{
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_source *source;

    if ( argc != 2 || !handle )
        give_up("usage: save-rings FILE");
    if ( xenoprof_source_xen(handle, status_frame(), &source) ||
         xenoprof_source_refresh(source) )
        give_up(xenoprof_message(handle));
    save(source, argv[1]);
    xenoprof_source_close(source);
    xenoprof_close(handle);
    return 0;
}
