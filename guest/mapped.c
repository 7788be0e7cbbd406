/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces in a row, and the checks that they pass when another process made
 * them. */
#include "mapped.h"

#include <string.h>

#define HEAD_BYTES (4 * sizeof(uint32_t))
/* Where user space ends: 5 levels of page tables. */
#define USER_END (1ull << 56)

void mapped_space_init(struct mapped_space *space)
{
    space->count = 0;
    space->files = 0;
    space->unused = 0;
    space->bytes = 1;
    space->texts[0] = '\0';
}

/* Whether it is one that may stand behind the others. */
static bool is_piece(const struct mapped_space *space,
                     const struct mapped_code *piece)
{
    uint64_t end = space->count ? space->code[space->count - 1].end : 0;

    return piece->start >= end && piece->start < piece->end &&
           piece->end <= USER_END;
}

/* Returns where the text is: that of the piece before, mostly, or a new one; 0
 * if there is no room. */
static uint32_t put_mapped_path(struct mapped_space *space, const char *path)
{
    uint32_t last = space->count ? space->code[space->count - 1].path : 0;
    uint32_t at = space->bytes;
    size_t size = strlen(path) + 1;

    if ( !strcmp(space->texts + last, path) )
        return last;
    if ( size == 1 || size > MAPPED_TEXTS_MAX - at )
        return 0;
    memcpy(space->texts + at, path, size);
    space->bytes += (uint32_t)size;
    return at;
}

bool mapped_space_add(struct mapped_space *space,
                      const struct mapped_code *piece, const char *path)
{
    struct mapped_code *to;

    if ( space->count == MAPPED_MAX || !is_piece(space, piece) )
        return false;
    to = &space->code[space->count];
    *to = *piece;
    to->path = put_mapped_path(space, path);
    space->count++;
    return true;
}

/* Most have one piece of code; some have the file before's next one. */
uint16_t mapped_space_file(struct mapped_space *space,
                           const struct guest_file *file)
{
    uint32_t last = space->files;

    if ( !file->id )
        return 0;
    if ( last && !memcmp(&space->file[last - 1], file, sizeof(*file)) )
        return (uint16_t)last;
    if ( last == MAPPED_FILES_MAX )
        return 0;
    space->file[space->files++] = *file;
    return (uint16_t)space->files;
}

size_t mapped_space_put(const struct mapped_space *space, void *to)
{
    const size_t pieces = space->count * sizeof(space->code[0]);
    const size_t files = space->files * sizeof(space->file[0]);
    uint8_t *at = to;

    memcpy(at, space, HEAD_BYTES);
    memcpy(at + HEAD_BYTES, space->code, pieces);
    memcpy(at + HEAD_BYTES + pieces, space->file, files);
    memcpy(at + HEAD_BYTES + pieces + files, space->texts, space->bytes);
    return HEAD_BYTES + pieces + files + space->bytes;
}

/* Whether all texts are paths, one behind the other. */
static bool are_texts(const struct mapped_space *space)
{
    const char *at = space->texts + 1, *end = space->texts + space->bytes;

    if ( space->texts[0] || end[-1] )
        return false;
    for ( ; at < end; at += strlen(at) + 1 )
        if ( *at != '/' || strlen(at) > ORIGIN_PATH_MAX ||
             !origin_path_is_sound(at) )
            return false;
    return true;
}

/* Whether a piece's text is one, and not the rest of one. */
static bool has_text(const struct mapped_space *space,
                     const struct mapped_code *piece)
{
    return piece->path < space->bytes &&
           (!piece->path || !space->texts[piece->path - 1]);
}

static bool are_files(const struct mapped_space *space)
{
    for ( uint32_t i = 0; i < space->files; i++ )
        if ( !space->file[i].id )
            return false;
    return true;
}

static bool are_pieces(struct mapped_space *space)
{
    uint32_t count = space->count;

    for ( space->count = 0; space->count < count; space->count++ )
        if ( !is_piece(space, &space->code[space->count]) ||
             !has_text(space, &space->code[space->count]) ||
             space->code[space->count].file > space->files ||
             space->code[space->count].elsewhere > 1 )
            return false;
    return true;
}

bool mapped_space_get(const void *from, size_t size, struct mapped_space *ret)
{
    const uint8_t *at = from;
    size_t pieces, files;

    if ( size < HEAD_BYTES )
        return false;
    memcpy(ret, at, HEAD_BYTES);
    if ( ret->count > MAPPED_MAX || !ret->bytes ||
         ret->bytes > MAPPED_TEXTS_MAX || ret->files > MAPPED_FILES_MAX ||
         ret->unused )
        return false;
    pieces = ret->count * sizeof(ret->code[0]);
    files = ret->files * sizeof(ret->file[0]);
    if ( size != HEAD_BYTES + pieces + files + ret->bytes )
        return false;
    memcpy(ret->code, at + HEAD_BYTES, pieces);
    memcpy(ret->file, at + HEAD_BYTES + pieces, files);
    memcpy(ret->texts, at + HEAD_BYTES + pieces + files, ret->bytes);
    return are_texts(ret) && are_files(ret) && are_pieces(ret);
}
