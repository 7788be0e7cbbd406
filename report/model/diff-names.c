/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff-names.h"

#include <stdlib.h>
#include <string.h>

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

static bool add_text(struct diff_names *names, struct diff_frame *to,
                     const struct frame_texts *texts, const struct frame *frame)
{
    char *text = frame_text(texts, frame);
    bool added = text && names_add(&names->texts, text, &to->text);

    free(text);
    return added;
}

bool diff_names_frame(struct diff_names *names, const struct frame_texts *texts,
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
    if ( !names_add(&names->texts, names_text(own, from->key.image),
                    &key.key.image) ||
         !names_add(&names->texts, names_text(own, from->key.symbol),
                    &key.key.symbol) )
        return false;
    found = table_put(&names->frames, &key);
    if ( !found || (!found->text && !add_text(names, found, texts, from)) )
        return false;
    *ret = (uint32_t)table_index(&names->frames, found);
    return true;
}

bool diff_names_label(struct diff_names *names, const struct loaded *loaded,
                      enum label label, uint64_t value, uint32_t *ret)
{
    const char *name = NULL;
    char *text;
    bool added;

    if ( label == LABEL_DOMAIN )
        name = names_text(&loaded->names,
                          loaded_domain(loaded, (uint32_t)value)->name);
    if ( name && *name )
        return names_add(&names->texts, name, ret);
    text = label_text(loaded, label, value, LABEL_NONE);
    added = text && names_add(&names->texts, text, ret);
    free(text);
    return added;
}
