/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the comparisons share: what shares are shares of, and one set of names
 * for two sessions. */
#include "diff.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/time/sampling.h"

#include <stdlib.h>
#include <string.h>

struct diff_whole diff_whole(const struct loaded *loaded)
{
    struct diff_whole whole = {.samples = 0};
    double sampled = 0, square = 0, alike;
    uint64_t samples = 0;

    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        whole.time += cell->time;
        if ( !cell->dropped )
            whole.samples += cell->samples;
        if ( cell->samples )
            sampled += (double)cell->time;
        samples += cell->samples;
        square += cell->square;
    }
    alike = types_is_time(&loaded->types) ? sampling_alike(sampled, square)
                                          : (double)samples;
    /* Idle time has no samples: as many as it would have had. */
    whole.looks = sampled > 0 ? alike * (double)whole.time / sampled : 0.0;
    return whole;
}

double diff_share(const struct diff_whole *whole, enum normalize normalize,
                  const struct amount *amount)
{
    if ( normalize == NORMALIZE_TIME )
        return whole->time ? (double)amount->time / (double)whole->time : 0.0;
    return whole->samples ? (double)amount->samples / (double)whole->samples
                          : 0.0;
}

void diff_test(const struct diff_whole whole[2], enum normalize normalize,
               const struct amount amount[2], struct change *ret)
{
    double share[2], n[2];

    for ( int side = 0; side < 2; side++ )
    {
        n[side] = normalize == NORMALIZE_TIME ? whole[side].looks
                                              : (double)whole[side].samples;
        share[side] = diff_share(&whole[side], normalize, &amount[side]);
    }
    noise_test(share, n, ret);
}

void diff_names_init(struct diff_names *names)
{
    names_init(&names->texts);
    table_init(&names->frames, sizeof(((struct diff_frame *)0)->key),
               sizeof(struct diff_frame));
}

void diff_names_free(struct diff_names *names)
{
    names_free(&names->texts);
    table_free(&names->frames);
}

void diff_names_frame(struct diff_names *names, const struct frame_texts *texts,
                      uint32_t frame, uint32_t *ret)
{
    const struct names *own = &texts->loaded->names;
    const struct frame *from = stacks_frame(texts->stacks, frame);
    struct diff_frame key, *found;

    memset(&key, 0, sizeof(key));
    key.key.address = from->key.address;
    key.key.kind = from->key.kind;
    key.key.mode = from->key.mode;
    key.key.area = from->key.area;
    must_do(names_add(&names->texts, names_text(own, from->key.image),
                      &key.key.image));
    must_do(names_add(&names->texts, names_text(own, from->key.symbol),
                      &key.key.symbol));
    must_do(names_add(&names->texts, names_text(own, from->key.comm),
                      &key.key.comm));
    must_do(names_add(&names->texts, names_text(own, from->key.path),
                      &key.key.path));
    key.key.line = from->key.line;
    found = must(table_put(&names->frames, &key));
    if ( !found->text )
    {
        char *text SCOPE_FREE = frame_text(texts, from);

        must_do(names_add(&names->texts, text, &found->text));
    }
    *ret = (uint32_t)table_index(&names->frames, found);
}

void diff_names_label(struct diff_names *names, const struct loaded *loaded,
                      enum label label, uint64_t value, uint32_t *ret)
{
    const char *name = NULL;
    char *text SCOPE_FREE = NULL;

    if ( label == LABEL_DOMAIN )
        name = names_text(&loaded->names,
                          loaded_domain(loaded, (uint32_t)value)->name);
    if ( name && *name )
    {
        must_do(names_add(&names->texts, name, ret));
        return;
    }
    text = label_text(loaded, label, value, LABEL_NONE);
    must_do(names_add(&names->texts, text, ret));
}
