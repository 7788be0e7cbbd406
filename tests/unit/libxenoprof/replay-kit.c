/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folders of saved rings, made and removed. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay-kit.h"

void replay_kit_begin(struct replay_kit *kit)
{
    kit->handle = xenoprof_open();
    strcpy(kit->folder, "/tmp/xenoprof-replay-XXXXXX");
    CHECK(mkdtemp(kit->folder));
}

const char *replay_kit_path(const struct replay_kit *kit, const char *name)
{
    static char path[512];

    snprintf(path, sizeof(path), "%s/%s", kit->folder, name);
    return path;
}

void replay_kit_end(struct replay_kit *kit)
{
    DIR *directory = opendir(kit->folder);
    const struct dirent *entry;

    CHECK(directory);
    while ( (entry = readdir(directory)) )
        if ( strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") )
            CHECK(!remove(replay_kit_path(kit, entry->d_name)));
    closedir(directory);
    CHECK(!rmdir(kit->folder));
    xenoprof_close(kit->handle);
}

void replay_kit_put(const struct replay_kit *kit, const char *name,
                    const void *bytes, size_t size)
{
    FILE *file = fopen(replay_kit_path(kit, name), "w");

    CHECK(file);
    CHECK_EQ(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

void replay_kit_text(const struct replay_kit *kit, const char *name,
                     const char *text)
{
    replay_kit_put(kit, name, text, strlen(text));
}

struct xenoprof_source *replay_kit_open(const struct replay_kit *kit)
{
    struct xenoprof_source *source;

    if ( xenoprof_source_replay(kit->handle, kit->folder, &source) )
        test_fail(__FILE__, __LINE__, "%s", xenoprof_message(kit->handle));
    return source;
}

void replay_kit_refused(const struct replay_kit *kit, const char *why)
{
    struct xenoprof_source *source;

    CHECK(xenoprof_source_replay(kit->handle, kit->folder, &source));
    if ( !strstr(xenoprof_message(kit->handle), why) )
        test_fail(__FILE__, __LINE__, "\"%s\" does not say \"%s\"",
                  xenoprof_message(kit->handle), why);
}
