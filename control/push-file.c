/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "push-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "protocol.h"

const char *push_dir(void)
{
    const char *given = getenv("XENOPROF_PUSH_DIR");

    return given && *given ? given : PUSH_DIR;
}

/* Returns how many bytes there are, 0 if there are more than can be. */
static size_t read_text(int fd, char *text, size_t size)
{
    size_t used = 0;
    ssize_t got = 1;

    while ( got > 0 && used < size )
    {
        got = read(fd, text + used, size - used);
        if ( got < 0 && errno == EINTR )
            got = 1;
        else if ( got > 0 )
            used += (size_t)got;
    }
    return got || used == size ? 0 : used;
}

bool push_file_read(int fd, struct status_push *ret)
{
    char text[PUSH_FILE_MAX];
    struct stat info;
    size_t used;

    if ( fstat(fd, &info) || !S_ISREG(info.st_mode) )
        return false;
    used = read_text(fd, text, sizeof(text));
    /* One line, whole. */
    if ( !used || memchr(text, '\n', used) != text + used - 1 ||
         memchr(text, '\0', used) )
        return false;
    text[used - 1] = '\0';
    if ( !line_is(text, PUSH_FILE_WORD) )
        return false;
    *ret = (struct status_push){0};
    status_take_push(ret, text);
    return true;
}

bool push_file_find(const char *dir, struct status_push *ret)
{
    int folder SCOPE_CLOSE = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
                                           O_CLOEXEC);
    int fd SCOPE_CLOSE = folder < 0 ? -1
                                    : openat(folder, PUSH_FILE_NAME,
                                             O_RDONLY | O_NOFOLLOW |
                                                 O_NONBLOCK | O_CLOEXEC);

    if ( fd < 0 || !push_file_read(fd, ret) )
        return false;
    if ( strcmp(ret->state, "ended") && flock(folder, LOCK_SH | LOCK_NB) == 0 )
        STATUS_COPY(ret->state, "gone");
    return true;
}
