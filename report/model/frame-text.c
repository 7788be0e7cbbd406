/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "frame-text.h"

#include "base/must.h"
#include "base/scope.h"
#include "areas.h"
#include "format.h"
#include "labels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A short name in an image, and the first symbol that has it. */
struct frame_home {
    struct {
        uint32_t image;
        uint32_t name; /* in texts.shorts */
    } key;
    uint32_t symbol; /* in loaded.names */
    bool shared;     /* another symbol has it, too */
};

void frame_texts_init(struct frame_texts *texts, const struct loaded *loaded,
                      const struct stacks *stacks)
{
    *texts = (struct frame_texts){.loaded = loaded, .stacks = stacks};
    names_init(&texts->shorts);
    table_init(&texts->homes, sizeof(((struct frame_home *)0)->key),
               sizeof(struct frame_home));
    for ( size_t i = 0; i < stacks->frames.count; i++ )
    {
        const struct frame *frame = table_at(&stacks->frames, i);

        const char *whole = names_text(&loaded->names, frame->key.symbol);
        uint32_t key[2] = {frame->key.image, 0};
        struct frame_home *home;

        if ( !frame->key.symbol )
            continue;
        must_do(names_add(&texts->shorts, label_short_symbol(whole), &key[1]));
        home = must(table_put(&texts->homes, key));
        if ( home->symbol && home->symbol != frame->key.symbol )
            home->shared = true;
        home->symbol = frame->key.symbol;
    }
}

void frame_texts_free(struct frame_texts *texts)
{
    names_free(&texts->shorts);
    table_free(&texts->homes);
}

/* Whether its short name is another symbol's, too. */
static bool is_shared(const struct frame_texts *texts,
                      const struct frame *frame, const char *name)
{
    uint32_t key[2] = {frame->key.image, 0};
    const struct frame_home *home;

    /* It has been added before, so this finds it. */
    if ( !names_find(&texts->shorts, name, &key[1]) )
        return false;
    home = table_find(&texts->homes, key);
    return home && home->shared;
}

static const char *frame_image(const struct frame_texts *texts,
                               const struct frame *frame)
{
    const char *image = names_text(&texts->loaded->names, frame->key.image);

    return image ? image : "";
}

/* A text for all that is called otherwise than by a symbol, else NULL with
 * *named set. */
static char *other_text(const struct frame_texts *texts,
                        const struct frame *frame, bool *named)
{
    const struct frame_key *key = &frame->key;
    char address[20];

    *named = false;
    if ( key->kind == FRAME_TRUNCATED )
        return must(strdup("[truncated]"));
    if ( key->kind == FRAME_MOVED )
        return must(strdup("[guest moved]"));
    if ( key->kind == FRAME_GUEST )
        return must(strdup("[guest unknown]"));
    if ( key->kind == FRAME_UNKNOWN )
        return must(strdup("[unknown]"));
    if ( texts->stacks->detail == FRAMES_BY_IMAGE && key->image )
        return must(strdup(frame_image(texts, frame)));
    if ( key->area )
        return area_text(texts->loaded, (enum area)key->area, key->comm);
    *named = key->symbol != 0;
    if ( *named )
        return NULL;
    snprintf(address, sizeof(address), "0x%" PRIx64, key->address);
    return must(strdup(address));
}

char *frame_symbol(const struct frame_texts *texts, const struct frame *frame)
{
    const char *whole, *name;
    bool named;
    char *text = other_text(texts, frame, &named);

    if ( !named )
        return text;
    whole = names_text(&texts->loaded->names, frame->key.symbol);
    name = label_short_symbol(whole);
    return must(
        strdup(name != whole && is_shared(texts, frame, name) ? whole : name));
}

/* "get_page", or "get_page [mm.c]" if there are several. */
static char *name_for_people(const struct frame_texts *texts,
                             const struct frame *frame)
{
    const char *whole = names_text(&texts->loaded->names, frame->key.symbol);
    const char *name = label_short_symbol(whole);
    char *file SCOPE_FREE = NULL;

    if ( name == whole || !is_shared(texts, frame, name) )
        return must(strdup(name));
    file = must(strndup(whole, (size_t)(name - whole) - 1));
    return must_text("%s [%s]", name, format_without_path(file));
}

/* The image, if the mode does not say it. */
static char *with_image(const struct frame_texts *texts,
                        const struct frame *frame, char *text)
{
    const char *image = frame_image(texts, frame);
    char *longer;

    if ( !text || !*image || !strcmp(image, frame_mode(frame)) ||
         !strcmp(image, SPOOLED_NAME) )
        return text;
    longer = must_text("%s [%s]", text, format_without_path(image));
    free(text);
    return longer;
}

static char *with_address(const struct frame *frame, char *text)
{
    char *longer;

    if ( !text || !frame->key.symbol || !frame->key.address )
        return text;
    longer = must_text("%s 0x%" PRIx64, text, frame->key.address);
    free(text);
    return longer;
}

char *frame_with_line(const struct frame_texts *texts,
                      const struct frame *frame, char *text)
{
    char *line SCOPE_FREE = NULL;
    char *longer;

    if ( !text || !frame->key.line )
        return text;
    line = label_text(texts->loaded, LABEL_LINE,
                      label_frame_value(frame, LABEL_LINE), LABEL_NONE);
    longer = must_text("%s %s", text, format_without_path(line));
    free(text);
    return longer;
}

char *frame_text(const struct frame_texts *texts, const struct frame *frame)
{
    bool named;
    char *text = other_text(texts, frame, &named);

    if ( named )
        text = frame_with_line(
            texts, frame, with_address(frame, name_for_people(texts, frame)));
    if ( frame->key.kind != FRAME_CODE ||
         (frame->key.area && frame->key.area != AREA_USER) ||
         texts->stacks->detail == FRAMES_BY_IMAGE )
        return text;
    return with_image(texts, frame, text);
}

const char *frame_mode(const struct frame *frame)
{
    if ( frame->key.kind >= FRAME_TRUNCATED )
        return "-";
    return xenoprof_mode_name(frame->key.mode);
}
