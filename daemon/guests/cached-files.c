/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cached-files.h"

#include <stdlib.h>
#include <string.h>

#include "guest-questions.h"

void cached_files_init(struct guest_cached *cached)
{
    table_init(&cached->files, sizeof(uint64_t), sizeof(struct cached_file));
}

void cached_files_forget(struct guest_cached *cached)
{
    for ( size_t i = 0; i < cached->files.count; i++ )
    {
        struct cached_file *file = table_at(&cached->files, i);

        free(file->path);
    }
    table_free(&cached->files);
}

/* Those that are known go when there are too many, with their code: who has
 * them mapped is read again before long. */
static bool make_cached_room(struct guest *guest)
{
    if ( guest->cached.files.count < CACHED_FILES_MAX )
        return true;
    if ( !guest_question_is_idle(&guest->questions[QUESTION_cached]) )
        return false;
    cached_files_forget(&guest->cached);
    table_free(&guest->questions[QUESTION_cached].noted);
    return true;
}

void cached_files_know(struct guest *guest, const struct mapped_space *space)
{
    for ( uint32_t i = 0; i < space->count; i++ )
    {
        const struct mapped_code *code = &space->code[i];
        const struct guest_file *file;
        struct cached_file *known;

        if ( !code->file )
            continue;
        file = &space->file[code->file - 1];
        if ( table_find(&guest->cached.files, &file->id) ||
             !make_cached_room(guest) )
            continue;
        known = table_put(&guest->cached.files, &file->id);
        if ( !known )
            continue;
        known->mapping = file->mapping;
        known->path = strdup(mapped_name(space, code));
    }
}
