/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the files of a session's folder. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "session-files.h"
#include "session-block.h"

void session_file_name(uint32_t number, char ret[FILE_NAME_SIZE])
{
    snprintf(ret, FILE_NAME_SIZE, "DATA.%04u", number);
}

/* The name must be exactly what session_file_name() makes of the number. */
static bool file_number(const char *name, uint32_t *ret)
{
    char spelled[FILE_NAME_SIZE];
    unsigned int number;

    if ( sscanf(name, "DATA.%7u", &number) != 1 || number >= SESSION_FILES_MAX )
        return false;
    session_file_name(number, spelled);
    *ret = number;
    return !strcmp(name, spelled);
}

bool session_file_is_one(const char *path)
{
    const char *slash = strrchr(path, '/');
    uint32_t number;

    return file_number(slash ? slash + 1 : path, &number);
}

static int by_number(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

enum xenoprof_status session_files_list(struct xenoprof_handle *handle,
                                        const char *folder,
                                        struct session_files *ret)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    bool added = true;
    uint32_t number, *slot;

    *ret = (struct session_files){0};
    if ( !directory )
        return handle_fail_system(handle, "%s: cannot look into the folder",
                                  folder);
    while ( added && (entry = readdir(directory)) )
    {
        if ( !file_number(entry->d_name, &number) )
            continue;
        slot = vector_add(ret);
        added = slot;
        if ( slot )
            *slot = number;
    }
    closedir(directory);
    if ( !added )
    {
        session_files_free(ret);
        return handle_no_memory(handle);
    }
    if ( ret->count )
        qsort(ret->items, ret->count, sizeof(*ret->items), by_number);
    return XENOPROF_OK;
}

void session_files_free(struct session_files *files)
{
    vector_free(files);
}
