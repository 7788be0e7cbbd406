/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Windows as a test wants them: in the session directory it puts the next ones
 * as files NUMBER.SAMPLES.DOMAIN, from 1 on, whose bytes are the window's, and
 * a file closed behind the last.  A window is a file.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "push/window.h"

struct window_source {
    const char *dir;
    uint64_t taken;
};

struct window_source *window_source_open(const struct window_ask *ask,
                                         struct failure *failure)
{
    struct window_source *source = calloc(1, sizeof(*source));

    (void)failure;
    if ( !source )
        abort();
    source->dir = ask->session_dir;
    if ( strcmp(ask->session, "fake") == 0 )
        source->taken = ask->position;
    return source;
}

void window_source_close(struct window_source *source)
{
    free(source);
}

static bool read_bytes(const char *path, struct buffer *ret)
{
    FILE *file = fopen(path, "re");
    char bytes[4096];
    size_t got;

    if ( !file )
        return false;
    while ( (got = fread(bytes, 1, sizeof(bytes), file)) )
        if ( !buffer_append(ret, bytes, got) )
            abort();
    fclose(file);
    return true;
}

/* Finds the file of that number. */
static bool find_next(const struct window_source *source, char *name,
                      size_t size)
{
    DIR *names = opendir(source->dir);
    struct dirent *entry;
    bool found = false;

    while ( names && !found && (entry = readdir(names)) )
    {
        found = strtoull(entry->d_name, NULL, 10) == source->taken + 1;
        snprintf(name, size, "%s", entry->d_name);
    }
    if ( names )
        closedir(names);
    return found;
}

static void add_series(struct window *ret, const char *dir, const char *name)
{
    struct window_series *series = vector_add(ret);
    char path[1024];

    if ( !series )
        abort();
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    if ( sscanf(name, "%*u.%" SCNu64 ".%ms", &ret->samples, &series->domain) !=
             2 ||
         !read_bytes(path, &series->bytes) )
        abort();
}

bool window_next(struct window_source *source, struct window *ret,
                 struct failure *failure)
{
    char name[256], path[1024];

    (void)failure;
    *ret = (struct window){.from = utc_now(), .to = utc_now()};
    if ( find_next(source, name, sizeof(name)) )
    {
        source->taken++;
        add_series(ret, source->dir, name);
    }
    else
    {
        snprintf(path, sizeof(path), "%s/closed", source->dir);
        ret->closed = access(path, F_OK) == 0;
    }
    strcpy(ret->session, "fake");
    ret->position = source->taken;
    return true;
}
