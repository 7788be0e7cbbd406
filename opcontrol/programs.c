/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "programs.h"

static bool find_in(const char *folder, const char *name, char *path)
{
    int length = snprintf(path, PATH_MAX, "%s/%s", folder, name);

    return length > 0 && length < PATH_MAX && access(path, X_OK) == 0;
}

static bool find_beside(const char *name, char *path)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *end;

    if ( length <= 0 )
        return false;
    self[length] = '\0';
    end = strrchr(self, '/');
    if ( !end )
        return false;
    *end = '\0';
    return find_in(self, name, path);
}

bool program_find(const char *name, const char *variable, const char *folder,
                  char *path)
{
    const char *given = getenv(variable);

    if ( given && *given )
        return snprintf(path, PATH_MAX, "%s", given) < PATH_MAX;
    return find_beside(name, path) || find_in(folder, name, path);
}
