/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading symbols of code from texts as long as /proc/kallsyms. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/scope.h"
#include "symbol-text.h"

#define CHUNK 65536u

struct code_lines {
    struct buffer text;
    bool shown; /* an address that is not zero was seen */
    bool broken;
};

int symbol_text_open(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC);
}

void symbol_text_close(int fd)
{
    if ( fd >= 0 )
        close(fd);
}

static bool names_code(const char *line, size_t length)
{
    const char *type = memchr(line, ' ', length);

    return type && type + 2 < line + length && strchr("tTwW", type[1]);
}

/* Takes the whole lines.  Returns how many bytes they have. */
static size_t take_whole_lines(struct code_lines *all, const char *bytes,
                               size_t size)
{
    size_t taken = 0;
    const char *end;

    while ( (end = memchr(bytes + taken, '\n', size - taken)) )
    {
        const char *line = bytes + taken;
        size_t length = (size_t)(end - line) + 1;

        taken += length;
        if ( !names_code(line, length) )
            continue;
        if ( !buffer_append(&all->text, line, length) )
            all->broken = true;
        all->shown |= strspn(line, "0") < (size_t)(strchr(line, ' ') - line);
    }
    return taken;
}

static void read_code_lines(int fd, struct code_lines *all)
{
    char *chunk SCOPE_FREE = malloc(CHUNK);
    size_t left = 0;
    ssize_t got = 1;

    while ( chunk && got > 0 && !all->broken )
    {
        size_t taken;

        got = read(fd, chunk + left, CHUNK - left);
        if ( got <= 0 )
            break;
        left += (size_t)got;
        taken = take_whole_lines(all, chunk, left);
        left -= taken;
        memmove(chunk, chunk + taken, left);
        /* No symbol is that long, so this is not a text of symbols. */
        if ( left == CHUNK )
            all->broken = true;
    }
    if ( !chunk || got < 0 )
        all->broken = true;
}

char *symbol_text_read(int fd, size_t *size)
{
    struct code_lines all = {0};

    if ( fd < 0 || lseek(fd, 0, SEEK_SET) )
        return NULL;
    read_code_lines(fd, &all);
    if ( all.broken || !all.shown )
    {
        buffer_free(&all.text);
        return NULL;
    }
    *size = all.text.used;
    return (char *)all.text.bytes;
}
