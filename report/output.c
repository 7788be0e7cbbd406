/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output.h"

#include "base/must.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define FRESH_MODE 0666 /* as any file that a program writes: umask counts */

#define WINDOW_GZIP (MAX_WBITS + 16) /* zlib.h: a head and a sum as gzip's */
#define MEMORY      9                /* zlib's largest: 400 KB, and quickest */
#define PIECE       16384u

static const struct output *begun; /* NULL: none */

struct gzip_stream {
    z_stream z;
    FILE *file;
};

static void deflate_all(struct gzip_stream *stream, int flush)
{
    unsigned char piece[PIECE];

    do
    {
        stream->z.next_out = piece;
        stream->z.avail_out = sizeof(piece);
        deflate(&stream->z, flush);
        fwrite(piece, 1, sizeof(piece) - stream->z.avail_out, stream->file);
    } while ( !stream->z.avail_out );
}

static ssize_t gzip_write(void *cookie, const char *bytes, size_t size)
{
    struct gzip_stream *stream = cookie;

    stream->z.next_in = (unsigned char *)bytes;
    stream->z.avail_in = (unsigned int)size;
    deflate_all(stream, Z_NO_FLUSH);
    return (ssize_t)size;
}

static int gzip_close(void *cookie)
{
    struct gzip_stream *stream = cookie;

    stream->z.avail_in = 0;
    deflate_all(stream, Z_FINISH);
    deflateEnd(&stream->z);
    free(stream);
    return 0;
}

/* Returns a stream that compresses what is written to it, into file, and that
 * leaves file open when it is closed. */
static FILE *gzip_file(FILE *file)
{
    const cookie_io_functions_t acts = {.write = gzip_write,
                                        .close = gzip_close};
    struct gzip_stream *stream = must(calloc(1, sizeof(*stream)));

    stream->file = file;
    must_do(deflateInit2(&stream->z, Z_BEST_SPEED, Z_DEFLATED, WINDOW_GZIP,
                         MEMORY, Z_DEFAULT_STRATEGY) == Z_OK);
    return must(fopencookie(stream, "w", acts));
}

static FILE *open_fresh(struct output *output)
{
    mode_t mask = umask(0);
    int handle;

    umask(mask);
    output->fresh = must_text("%s.XXXXXX", output->path);
    handle = mkostemp(output->fresh, 0);
    if ( handle < 0 )
        return NULL;
    fchmod(handle, FRESH_MODE & ~mask);
    return fdopen(handle, "w");
}

static enum exit_status open_path(struct output *output,
                                  struct failure *failure)
{
    struct stat state;

    /* A pipe or a device is not to be replaced, nor what a link leads to. */
    if ( !lstat(output->path, &state) && !S_ISREG(state.st_mode) )
        output->file = fopen(output->path, "we");
    else
        output->file = open_fresh(output);
    if ( output->file )
    {
        begun = output;
        return STATUS_DONE;
    }
    free(output->fresh);
    return fail(failure, STATUS_OUTPUT,
                "%s cannot be written: %m: name a file in a folder that "
                "you may write to",
                output->path);
}

enum exit_status output_open(struct output *output, const char *path, bool gzip,
                             struct failure *failure)
{
    *output = (struct output){.file = stdout, .path = path};
    if ( !path || !strcmp(path, "-") )
        output->path = NULL;
    else if ( open_path(output, failure) )
        return failure->status;
    if ( !gzip )
        return STATUS_DONE;
    output->below = output->file;
    output->file = gzip_file(output->below);
    return STATUS_DONE;
}

static enum exit_status end_file(struct output *output, struct failure *failure)
{
    bool written = !ferror(output->file);

    if ( fclose(output->file) || !written )
        written = false;
    if ( written && !failure->status && output->fresh )
        written = !rename(output->fresh, output->path);
    if ( !written && !failure->status )
        fail(failure, STATUS_OUTPUT, "%s could not be written to the end: %m",
             output->path);
    if ( output->fresh && failure->status )
        unlink(output->fresh);
    free(output->fresh);
    return failure->status;
}

enum exit_status output_close(struct output *output, struct failure *failure)
{
    begun = NULL;
    if ( output->below )
    {
        fclose(output->file);
        output->file = output->below;
    }
    if ( output->path )
        return end_file(output, failure);
    if ( (fflush(stdout) || ferror(stdout)) && !failure->status )
        fail(failure, STATUS_OUTPUT,
             "the report could not be written to the end: %m");
    return failure->status;
}

void output_give_up(void)
{
    if ( begun && begun->fresh )
        unlink(begun->fresh);
    else if ( begun )
        fflush(begun->file);
    fflush(stdout);
}
