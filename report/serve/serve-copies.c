/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve-copies.h"

#include "base/clock.h"
#include "report/model/sessions.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A little longer than what session_state_find() calls a minute. */
#define QUIET_AFTER (61ull * 1000000000u)

void serve_copies_init(struct serve_copies *copies,
                       const struct serve_wanted *wanted)
{
    *copies = (struct serve_copies){.wanted = wanted};
    for ( size_t i = 0; i < SERVE_COPIES; i++ )
        copies->copies[i].file = -1;
}

static void drop(struct serve_copy *copy)
{
    if ( copy->file >= 0 )
        close(copy->file);
    *copy = (struct serve_copy){.file = -1};
}

void serve_copies_free(struct serve_copies *copies)
{
    serve_reader_stop(&copies->reader);
    for ( size_t i = 0; i < SERVE_COPIES; i++ )
        drop(&copies->copies[i]);
}

static struct serve_growth growth_now(const char *path)
{
    const uint64_t written = session_written(path);

    return (struct serve_growth){
        .bytes = session_bytes(path),
        .written = written,
        .quiet = utc_now() > written + QUIET_AFTER,
    };
}

static bool is_same(const struct serve_growth *a, const struct serve_growth *b)
{
    return a->bytes == b->bytes && a->written == b->written &&
           a->quiet == b->quiet;
}

/* The copy of that type, or NULL. */
static struct serve_copy *find(struct serve_copies *copies, const char *type)
{
    for ( size_t i = 0; i < SERVE_COPIES; i++ )
        if ( copies->copies[i].number && !strcmp(copies->copies[i].type, type) )
            return &copies->copies[i];
    return NULL;
}

/* Where that of a type goes: in place of the one nobody asked for longest. */
static struct serve_copy *place_for(struct serve_copies *copies,
                                    const char *type)
{
    struct serve_copy *best = find(copies, type);

    for ( size_t i = 0; !best && i < SERVE_COPIES; i++ )
        if ( !copies->copies[i].number )
            best = &copies->copies[i];
    if ( best )
        return best;
    best = copies->copies;
    for ( size_t i = 1; i < SERVE_COPIES; i++ )
        if ( copies->copies[i].asked < best->asked )
            best = &copies->copies[i];
    return best;
}

static void keep(struct serve_copies *copies, const struct serve_reading *made,
                 uint64_t now)
{
    struct serve_copy *copy = place_for(copies, copies->type);

    drop(copy);
    *copy = (struct serve_copy){
        .growth = copies->growth,
        .number = copies->readings,
        .asked = now,
        .file = made->file,
        .size = made->size,
    };
    strcpy(copy->type, copies->type);
    if ( made->status )
        snprintf(copy->sentence, sizeof(copy->sentence), "%s", made->sentence);
}

static void begin(struct serve_copies *copies, const char *type,
                  const struct serve_growth *growth, uint64_t now)
{
    struct serve_reading made = {.file = -1};
    struct failure failure = {.status = STATUS_DONE};

    strcpy(copies->type, type);
    copies->growth = *growth;
    copies->began = now;
    copies->next = now + SERVE_EACH;
    if ( !serve_reader_begin(&copies->reader, copies->wanted, type, &failure) )
        return;
    made.status = failure.status;
    made.sentence = failure.text;
    copies->readings++;
    keep(copies, &made, now);
}

static void answer(const struct serve_copy *copy, uint64_t match,
                   struct http_answer *ret)
{
    const uint64_t now = utc_now(), written = copy->growth.written;

    *ret = (struct http_answer){.status = 503, .text = copy->sentence};
    if ( copy->file < 0 )
        return;
    *ret = (struct http_answer){
        .status = copy->number == match ? 304 : 200,
        .type = "application/octet-stream",
        .number = copy->number,
        .age = now > written ? (now - written) / 1000000000u : 0,
        .file = copy->file,
        .size = copy->number == match ? 0 : copy->size,
    };
}

bool serve_copies_ask(struct serve_copies *copies,
                      const struct http_wanted *wanted, uint64_t now,
                      struct http_answer *ret)
{
    const struct serve_growth growth = growth_now(copies->wanted->path);
    struct serve_copy *copy = find(copies, wanted->type);
    const bool grown = !copy || !is_same(&growth, &copy->growth);

    if ( grown && !copies->reader.process && now >= copies->next )
    {
        begin(copies, wanted->type, &growth, now);
        copy = find(copies, wanted->type);
    }
    if ( !copy || (grown && copies->reader.process &&
                   !strcmp(copies->type, wanted->type)) )
        return false;
    copy->asked = now;
    answer(copy, wanted->match, ret);
    return true;
}

bool serve_copies_go(struct serve_copies *copies, uint64_t now,
                     struct serve_reading *ret)
{
    uint64_t cost = now - copies->began;

    if ( !serve_reader_go(&copies->reader, ret) )
        return false;
    if ( ret->cost > cost )
        cost = ret->cost;
    if ( SERVE_SHARE * cost > SERVE_EACH )
        copies->next = copies->began + SERVE_SHARE * cost;
    copies->readings++;
    keep(copies, ret, now);
    return true;
}
