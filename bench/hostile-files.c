/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hostile-files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxenoprof/session/session-block.h"

#define SESSION 7u /* its number */

void hostile_need(bool ok, const char *what)
{
    if ( ok )
        return;
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
            strerror(errno));
    exit(1);
}

uint64_t hostile_random(struct hostile_files *files)
{
    uint64_t mixed = files->random += 0x9e3779b97f4a7c15ull;

    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
    return mixed ^ mixed >> 31;
}

void hostile_put(struct hostile_files *files, const void *bytes, size_t size)
{
    hostile_need(write(files->fd, bytes, size) == (ssize_t)size,
                 "cannot write");
    files->written += size;
}

void hostile_begin(struct hostile_files *files, const char *folder,
                   const char *mib)
{
    *files = (struct hostile_files){
        .folder = folder, .most = strtoull(mib, NULL, 10) << 20, .fd = -1};
    hostile_need(!mkdir(folder, 0700), folder);
}

void hostile_begin_file(struct hostile_files *files)
{
    struct session_file_header header;
    char path[4096];

    hostile_end(files);
    snprintf(path, sizeof(path), "%s/DATA.%04u", files->folder, files->file);
    files->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    hostile_need(files->fd >= 0, path);
    file_header_init(&header, files->file++, SESSION);
    hostile_put(files, &header, sizeof(header));
}

void hostile_end(struct hostile_files *files)
{
    hostile_need(files->fd < 0 || !close(files->fd), "cannot write");
    files->fd = -1;
}
