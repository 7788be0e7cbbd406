/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read-hypfs PATH: reads a node of hypfs again and again until SIGTERM, so that
 * other readers' reads collide with it in the path buffer that Xen shares
 * between readers.  Wrong answers are expected; only their number is printed.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenhypfs.h>

static volatile sig_atomic_t done;

static void end(int number)
{
    (void)number;
    done = 1;
}

static char *read_node(xenhypfs_handle *hypfs, const char *path)
{
    struct xenhypfs_dirent *entry;
    char *raw = xenhypfs_read_raw(hypfs, path, &entry);

    if ( raw )
        free(entry);
    return raw;
}

int main(int argc, char **argv)
{
    xenhypfs_handle *hypfs = xenhypfs_open(NULL, 0);
    char *first = argc == 2 && hypfs ? read_node(hypfs, argv[1]) : NULL;
    unsigned long reads = 0, wrong = 0;

    if ( !first )
    {
        fputs("usage: read-hypfs PATH; PATH must be readable\n", stderr);
        return 1;
    }
    signal(SIGTERM, end);
    while ( !done )
    {
        char *again = read_node(hypfs, argv[1]);

        reads++;
        wrong += !again || strcmp(first, again) != 0;
        free(again);
    }
    printf("%lu reads, %lu of them answered wrongly by Xen\n", reads, wrong);
    return 0;
}
