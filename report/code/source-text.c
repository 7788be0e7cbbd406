/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads lines of source files. */
#include "source-text.h"

#include "base/must.h"
#include "base/scope.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZE_LIMIT (16 << 20)

void source_free(struct source_text *source)
{
    free(source->path);
    free(source->text);
    free(source->lines);
    memset(source, 0, sizeof(*source));
}

/* Returns a regular file that is not too large for a source, or NULL. */
static char *read_source(const char *path)
{
    int fd SCOPE_CLOSE = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat state;
    ssize_t size;
    char *text;

    if ( fd < 0 || fstat(fd, &state) || !S_ISREG(state.st_mode) ||
         state.st_size <= 0 || state.st_size > SIZE_LIMIT )
        return NULL;
    text = must(malloc((size_t)state.st_size + 1));
    size = read(fd, text, (size_t)state.st_size);
    if ( size <= 0 )
    {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    return text;
}

/* Cut the text into lines. */
static void split(struct source_text *source)
{
    size_t count = 1;
    char *rest = source->text;

    for ( const char *at = source->text; *at; at++ )
        count += *at == '\n';
    source->lines = must(calloc(count, sizeof(*source->lines)));
    while ( rest && source->count < count )
        source->lines[source->count++] = strsep(&rest, "\n");
}

bool source_is_public(const char *path)
{
    struct stat state;

    return !stat(path, &state) && state.st_mode & S_IROTH;
}

const char *source_line(struct source_text *source, const char *path,
                        int number)
{
    if ( !source->path || strcmp(source->path, path) )
    {
        source_free(source);
        source->path = must(strdup(path));
        source->text = read_source(path);
        if ( source->text )
            split(source);
    }
    return number > 0 && (size_t)number <= source->count
               ? source->lines[number - 1]
               : NULL;
}
