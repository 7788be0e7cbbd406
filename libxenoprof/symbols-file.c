/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols of a file, whichever kind it is. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "symbols.h"

#define TEXT_MAX (256u << 20)
#define CHUNK    (256u << 10)

/* Files of /proc do not tell their size: read on until there is no more. */
static bool read_text(int fd, struct buffer *text)
{
    ssize_t done;

    do
    {
        if ( !buffer_reserve(text, CHUNK) )
            return false;
        done = read(fd, text->bytes + text->used, CHUNK);
        if ( done > 0 )
            text->used += done;
        if ( text->used > TEXT_MAX )
        {
            errno = EFBIG;
            return false;
        }
    } while ( done > 0 || (done < 0 && errno == EINTR) );
    return !done;
}

static enum xenoprof_status open_elf(struct xenoprof_handle *handle,
                                     const char *path,
                                     struct xenoprof_symbols **ret)
{
    struct xenoprof_symbols *symbols = symbols_create();
    enum xenoprof_status status;

    if ( !symbols )
        return handle_no_memory(handle);
    status = symbols_read_elf(handle, path, symbols);
    if ( status )
    {
        xenoprof_symbols_close(symbols);
        return status;
    }
    symbols_sort(symbols);
    *ret = symbols;
    return XENOPROF_OK;
}

static enum xenoprof_status open_fd(struct xenoprof_handle *handle,
                                    const char *path, int fd,
                                    struct xenoprof_symbols **ret)
{
    __attribute__((cleanup(buffer_free))) struct buffer text = {NULL, 0, 0};
    char magic[4] = "";
    enum xenoprof_status status;

    if ( pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
         !memcmp(magic, "\177ELF", sizeof(magic)) )
        return open_elf(handle, path, ret);
    if ( !read_text(fd, &text) )
        return handle_fail_system(handle, "%s: cannot read it", path);
    status = xenoprof_symbols_text(handle, (const char *)text.bytes, text.used,
                                   ret);
    return status ? handle_fail_in(handle, status, path) : XENOPROF_OK;
}

enum xenoprof_status xenoprof_symbols_file(struct xenoprof_handle *handle,
                                           const char *path,
                                           struct xenoprof_symbols **ret)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    enum xenoprof_status status;

    if ( fd < 0 )
        return handle_fail_system(handle, "%s: cannot open it", path);
    status = open_fd(handle, path, fd, ret);
    close(fd);
    return status;
}
