/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths that guests chose: bounded, and fit to be shown. */
#include "origin.h"

#include <string.h>

void origin_path_init(struct origin_path *path)
{
    memset(path, 0, sizeof(*path));
    path->at = ORIGIN_PATH_MAX;
}

static void put_letter(struct origin_path *path, char letter)
{
    if ( path->at )
        path->text[--path->at] = letter;
    else
        path->cut = true;
}

void origin_path_add(struct origin_path *path, const char *name, size_t length)
{
    for ( size_t i = length; i; i-- )
    {
        char letter = name[i - 1];

        put_letter(
            path, letter < ' ' || letter > '~' || letter == '/' ? '?' : letter);
    }
    put_letter(path, '/');
}

void origin_path_end(const struct origin_path *path,
                     char to[ORIGIN_PATH_MAX + 1])
{
    if ( path->at == ORIGIN_PATH_MAX )
        strcpy(to, "/");
    else
        memcpy(to, path->text + path->at, ORIGIN_PATH_MAX + 1 - path->at);
    if ( path->cut )
        memcpy(to, ORIGIN_CUT, strlen(ORIGIN_CUT));
}

bool origin_path_is_sound(const char *text)
{
    const char *at = text;

    while ( *at >= ' ' && *at <= '~' )
        at++;
    return !*at && (!*text || *text == '/' ||
                    !strncmp(text, ORIGIN_CUT, strlen(ORIGIN_CUT)));
}
