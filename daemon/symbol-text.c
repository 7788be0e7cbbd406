/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol-text.h"

#define CHUNK 65536u

struct code_lines {
    char *text;
    size_t size;
    size_t room;
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

static void append(struct code_lines *all, const char *line, size_t length)
{
    if ( all->size + length > all->room )
    {
        size_t room = (all->room + length) * 2;
        char *grown = realloc(all->text, room);

        if ( !grown )
        {
            all->broken = true;
            return;
        }
        all->text = grown;
        all->room = room;
    }
    memcpy(all->text + all->size, line, length);
    all->size += length;
    all->shown |= strspn(line, "0") < (size_t)(strchr(line, ' ') - line);
}

/* Keep the lines that are whole; the number of bytes they took. */
static size_t take_lines(struct code_lines *all, const char *bytes, size_t size)
{
    size_t taken = 0;
    const char *end;

    while ( (end = memchr(bytes + taken, '\n', size - taken)) )
    {
        size_t length = (size_t)(end - bytes) + 1 - taken;

        if ( names_code(bytes + taken, length) )
            append(all, bytes + taken, length);
        taken += length;
    }
    return taken;
}

static void read_all(int fd, struct code_lines *all)
{
    char *chunk = malloc(CHUNK);
    size_t left = 0;
    ssize_t got = 1;

    while ( chunk && got > 0 && !all->broken )
    {
        size_t taken;

        got = read(fd, chunk + left, CHUNK - left);
        if ( got <= 0 )
            break;
        left += (size_t)got;
        taken = take_lines(all, chunk, left);
        left -= taken;
        memmove(chunk, chunk + taken, left);
        /* No symbol is that long: whatever this is, it is no such text. */
        if ( left == CHUNK )
            all->broken = true;
    }
    if ( !chunk || got < 0 )
        all->broken = true;
    free(chunk);
}

char *symbol_text_read(int fd, size_t *size)
{
    struct code_lines all = {0};

    if ( fd < 0 || lseek(fd, 0, SEEK_SET) )
        return NULL;
    read_all(fd, &all);
    if ( all.broken || !all.shown )
    {
        free(all.text);
        return NULL;
    }
    *size = all.size;
    return all.text;
}
