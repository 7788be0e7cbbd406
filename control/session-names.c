/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session-folders.h"

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void session_names_free(char **names)
{
    for ( char **at = names; at && *at; at++ )
        free(*at);
    free(names);
}

/* The array with one more name, or NULL when there is no memory; then the
 * array is freed. */
static char **append(char **names, size_t count, const char *name)
{
    char **grown = reallocarray(names, count + 2, sizeof(*grown));

    if ( !grown )
    {
        session_names_free(names);
        return NULL;
    }
    grown[count] = strdup(name);
    grown[count + 1] = NULL;
    if ( grown[count] )
        return grown;
    session_names_free(grown);
    return NULL;
}

static char **read_names(const char *dir, DIR *entries)
{
    char **names = calloc(1, sizeof(*names));
    struct dirent *entry;
    size_t count = 0;

    while ( names && (entry = readdir(entries)) )
        if ( entry->d_name[0] != '.' && session_exists(dir, entry->d_name) )
            names = append(names, count++, entry->d_name);
    if ( names )
        qsort(names, count, sizeof(*names), compare_names);
    return names;
}

char **session_names(const char *dir, struct failure *failure)
{
    DIR *entries = opendir(dir);
    char **names;

    if ( !entries && errno == ENOENT )
        names = calloc(1, sizeof(*names));
    else if ( !entries )
    {
        fail(failure, STATUS_SESSION_DIR,
             "the session directory %s cannot be read: %s", dir,
             strerror(errno));
        return NULL;
    }
    else
    {
        names = read_names(dir, entries);
        closedir(entries);
    }
    if ( !names )
        fail_memory(failure);
    return names;
}
