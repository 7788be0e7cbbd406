/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Things that end with the block they are declared in:
 *
 *   char *text SCOPE_FREE = NULL;
 *   int fd SCOPE_CLOSE = -1;
 *   FILE *file SCOPE_FCLOSE = NULL;
 */
#ifndef XENOPROF_BASE_SCOPE_H
#define XENOPROF_BASE_SCOPE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SCOPE_FREE   __attribute__((cleanup(scope_free)))
#define SCOPE_CLOSE  __attribute__((cleanup(scope_close)))
#define SCOPE_FCLOSE __attribute__((cleanup(scope_fclose)))

static inline void scope_free(void *pointer)
{
    free(*(void **)pointer);
}

static inline void scope_close(int *fd)
{
    if ( *fd >= 0 )
        close(*fd);
}

static inline void scope_fclose(FILE **file)
{
    if ( *file )
        fclose(*file);
}

#endif
