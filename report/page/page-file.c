/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a page: the embedded parts around packed data. */
#include "page-file.h"

#include "base/json-writer.h"
#include "base/must.h"
#include "base/scope.h"
#include "report/picture/embedded.h"
#include "report/picture/markup.h"

#include <stdlib.h>
#include <zlib.h>

#define CHUNK 49152u /* a multiple of 3: base64 is padded at the end only */

#define MEMORY 7 /* of zlib, which also says how large its blocks are */

/* zlib's window for deflate without a header. */
#define RAW_WINDOW (-15)

static void put_chunk(const void *chunk, size_t size, FILE *file)
{
    fwrite(chunk, 1, size, file);
}

/* Packs what is next in the stream, behind what its chunk has already, and puts
 * the chunks that are full. */
static void pack(z_stream *stream, unsigned char *chunk, int flush,
                 void (*put)(const void *chunk, size_t size, FILE *file),
                 FILE *file)
{
    int status;

    do
    {
        if ( !stream->avail_out )
        {
            put(chunk, CHUNK, file);
            stream->next_out = chunk;
            stream->avail_out = CHUNK;
        }
        status = deflate(stream, flush);
        must_do(status != Z_STREAM_ERROR);
    } while ( !stream->avail_out );
}

/* The best compression makes pages 1 to 5 % smaller, but takes most of the time
 * of a report where names are nearly alike.  Most of the data are columns of
 * nearly random bytes, each for a while: so small blocks are smallest, and a
 * search for anything but runs takes ten times as long for nothing. */
static void put_packed(const struct bytes *bytes,
                       void (*put)(const void *chunk, size_t size, FILE *file),
                       FILE *file)
{
    unsigned char *chunk SCOPE_FREE = must(malloc(CHUNK));
    z_stream stream = {.next_out = chunk, .avail_out = CHUNK};
    const size_t *edges = bytes->edges.items, count = bytes->edges.count;
    size_t at = 0;

    must_do(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, RAW_WINDOW,
                         MEMORY, Z_FILTERED) == Z_OK);
    for ( size_t i = 0; i <= count; i++ )
    {
        const size_t end = i < count ? edges[i] : bytes->buffer.used;

        must_do(deflateParams(&stream, Z_DEFAULT_COMPRESSION,
                              i % 2 ? Z_RLE : Z_FILTERED) == Z_OK);
        stream.next_in = at ? bytes->buffer.bytes + at : bytes->buffer.bytes;
        stream.avail_in = (unsigned int)(end - at);
        pack(&stream, chunk, i < count ? Z_BLOCK : Z_FINISH, put, file);
        at = end;
    }
    put(chunk, CHUNK - stream.avail_out, file);
    must_do(deflateEnd(&stream) == Z_OK);
}

void page_file_put_data(const struct bytes *data, FILE *file)
{
    put_packed(data, base64_put, file);
}

void page_file_put_packed(const struct bytes *data, FILE *file)
{
    put_packed(data, put_chunk, file);
}

/* The data of a type follow, whose name is a word. */
static void put_type_attribute(const char *type, FILE *file)
{
    fputs("<script type=\"text/plain\" data-type=\"", file);
    markup_put(file, type, MARKUP_ALL);
    fputs("\">\n", file);
}

void page_file_begin(const char *title, const char *type, FILE *file)
{
    char *clean SCOPE_FREE = markup_clean(title);

    embedded_put(embedded_page_head, file);
    markup_put(file, clean, MARKUP_ALL);
    embedded_put(embedded_page_body, file);
    put_type_attribute(type, file);
}

void page_file_next(const char *type, FILE *file)
{
    fputs("</script>\n", file);
    put_type_attribute(type, file);
}

void page_file_end(FILE *file)
{
    fputs("</script>\n", file);
    embedded_put(embedded_page_script, file);
    embedded_put(embedded_page_end, file);
}

void page_file_put_served(FILE *file)
{
    embedded_put(embedded_served_head, file);
    fputs("xenopreport", file);
    embedded_put(embedded_page_body, file);
    embedded_put(embedded_page_script, file);
    embedded_put(embedded_served_end, file);
}
