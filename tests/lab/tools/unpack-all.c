/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unpack-all FILE...: writes the contents of all zstd frames in these files to
 * stdout.  Knows nothing about sessions, so that it also finds what they should
 * not have.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#define LIMIT (64u << 20) /* of a frame's content */

static const unsigned char magic[] = {0x28, 0xb5, 0x2f, 0xfd};

static unsigned char *read_file(const char *path, size_t *size)
{
    unsigned char *bytes = NULL;
    FILE *file = fopen(path, "rb");
    long length = -1;

    if ( file && fseek(file, 0, SEEK_END) == 0 )
        length = ftell(file);
    if ( length >= 0 && fseek(file, 0, SEEK_SET) == 0 )
        bytes = malloc((size_t)length + 1);
    if ( !bytes || fread(bytes, 1, (size_t)length, file) != (size_t)length )
    {
        fprintf(stderr, "unpack-all: %s cannot be read\n", path);
        exit(1);
    }
    fclose(file);
    *size = (size_t)length;
    return bytes;
}

/* How many frames there are. */
static unsigned long unpack(const char *path)
{
    size_t size;
    unsigned char *bytes = read_file(path, &size);
    unsigned char *content = malloc(LIMIT);
    unsigned long frames = 0;

    for ( size_t at = 0; content && at + sizeof(magic) < size; at++ )
    {
        size_t packed, length;

        if ( memcmp(bytes + at, magic, sizeof(magic)) )
            continue;
        packed = ZSTD_findFrameCompressedSize(bytes + at, size - at);
        if ( ZSTD_isError(packed) )
            continue;
        length = ZSTD_decompress(content, LIMIT, bytes + at, packed);
        if ( ZSTD_isError(length) )
            continue;
        fwrite(content, 1, length, stdout);
        frames++;
    }
    free(content);
    free(bytes);
    return frames;
}

int main(int argc, char **argv)
{
    unsigned long frames = 0;

    for ( int i = 1; i < argc; i++ )
        frames += unpack(argv[i]);
    if ( !frames )
        fprintf(stderr, "unpack-all: nothing is packed there\n");
    return frames ? 0 : 1;
}
