/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For fuzzing readers of other tools' files: the input is a file, and what
 * becomes of it is a session that can be read to its end, or a sentence.
 */
#ifndef XENOPROF_TESTS_FUZZ_IMPORT_FUZZ_H
#define XENOPROF_TESTS_FUZZ_IMPORT_FUZZ_H

#include "fuzz.h"
#include "report/import/import.h"

#include <libxenoprof.h>

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In memory, if it has room: nobody waits for a disk. */
static inline void import_fuzz_begin(char ret[64])
{
    setenv("TMPDIR", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", 1);
    snprintf(ret, 64, "%s/xenoprof-fuzz-%d", getenv("TMPDIR"), (int)getpid());
}

static inline void import_fuzz_read_all(const char *path)
{
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_session *session;
    struct xenoprof_item item;
    enum xenoprof_status status;

    FUZZ_CHECK(!xenoprof_session_open(handle, path, &session));
    while ( !(status = xenoprof_session_next(session, &item)) )
        continue;
    FUZZ_CHECK(status == XENOPROF_END);
    xenoprof_session_close(session);
    xenoprof_close(handle);
}

static inline void import_fuzz(const uint8_t *data, size_t size)
{
    static char path[64];
    struct imported imported = {.file = NULL};
    struct failure failure = {.status = STATUS_DONE};
    char *session;
    int fd;

    if ( !*path )
        import_fuzz_begin(path);
    fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    close(fd);
    session = strdup(path);
    if ( import_session(&imported, "/nowhere", &session, &failure) )
        FUZZ_CHECK(*failure.text && !imported.file);
    else if ( imported.file )
        import_fuzz_read_all(session);
    free(session);
    session = imported.folder.path ? strdup(imported.folder.path) : NULL;
    imported_free(&imported);
    FUZZ_CHECK(!session || access(session, F_OK));
    free(session);
    unlink(path);
}

#endif
