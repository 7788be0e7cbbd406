/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verdict-items.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/domain-text.h"
#include "report/model/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *verdict_rank_name(enum verdict_rank rank)
{
    static const char *const names[] = {
        [VERDICT_TRUST] = "trust",
        [VERDICT_SATURATION] = "saturation",
        [VERDICT_UTILISATION] = "utilisation",
        [VERDICT_CAUSE] = "cause",
        [VERDICT_GAP] = "gap",
    };

    return names[rank];
}

/* What stands for a sign of a rule's texts. */
struct signs {
    const char *percent, *whose, *found, *name;
};

static const char *sign_text(const struct signs *signs, char sign)
{
    switch ( sign )
    {
    case '%': return signs->percent;
    case '*': return signs->whose;
    case '@': return signs->found;
    case '$': return signs->name;
    default: return NULL;
    }
}

/* Returns a malloc'ed text. */
static char *fill_in(const char *from, const struct signs *signs)
{
    char *text = NULL;
    size_t size;
    FILE *file = must(open_memstream(&text, &size));

    for ( ; *from; from++ )
        if ( sign_text(signs, *from) )
            fputs(sign_text(signs, *from), file);
        else
            fputc(*from, file);
    return format_close(file, &text);
}

/* Whether it comes before another one, which was found before it. */
static bool is_ranked_before(const struct verdict_item *item,
                             const struct verdict_item *other)
{
    if ( item->rule->rank != other->rule->rank )
        return item->rule->rank < other->rule->rank;
    return item->rule->rank != VERDICT_TRUST && item->percent > other->percent;
}

static size_t item_place(const struct verdict_items *items,
                         const struct verdict_item *item)
{
    size_t at = items->count;

    while ( at && is_ranked_before(item, &items->item[at - 1]) )
        at--;
    return at;
}

static void free_item(struct verdict_item *item)
{
    free(item->text);
    free(item->command);
}

static void insert_item(struct verdict_items *items, struct verdict_item item)
{
    const size_t at = item_place(items, &item);

    memmove(&items->item[at + 1], &items->item[at],
            (items->count - at) * sizeof(item));
    items->item[at] = item;
    items->count++;
}

void verdict_add(struct verdict_items *items, const struct loaded *loaded,
                 const struct verdict_rule *rule, uint32_t domain,
                 double percent, char *found, char *name)
{
    struct verdict_item item = {
        .rule = rule, .domain = domain, .percent = percent};
    char *found_text SCOPE_FREE = found, *name_text SCOPE_FREE = name;
    char *whose SCOPE_FREE = domain == VERDICT_NOBODYS
                                 ? must(strdup(""))
                                 : domain_text(loaded, domain);
    char *share SCOPE_FREE = must_text("%.2f%%", percent);
    const struct signs signs = {share, whose, found_text, name_text};

    if ( percent < rule->least )
        return;
    item.text = fill_in(rule->sentence, &signs);
    item.command = fill_in(rule->command, &signs);
    insert_item(items, item);
}

void verdict_items_free(struct verdict_items *items)
{
    for ( size_t i = 0; i < items->count; i++ )
        free_item(&items->item[i]);
}
