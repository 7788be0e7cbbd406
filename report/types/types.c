/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "types.h"

#include "base/must.h"

#include <stdio.h>
#include <string.h>

/* Whatever a session says is one word that a terminal can show. */
static void set_word(char to[TYPE_TEXT], const char *from)
{
    snprintf(to, TYPE_TEXT, "%s", from);
    for ( ; *to; to++ )
        if ( *to <= ' ' || *to > '~' )
            *to = '?';
}

void types_init(struct types *types)
{
    static const struct xenoprof_type time = {.name = "time", .unit = "ns"};
    static const struct xenoprof_type waiting = {.name = "waiting",
                                                 .unit = "ns"};

    memset(types, 0, sizeof(*types));
    table_init(&types->measured, sizeof(((struct type_measured *)0)->key),
               sizeof(struct type_measured));
    types_name(types, XENOPROF_TYPE_TIME, &time);
    types_name(types, XENOPROF_TYPE_WAITING, &waiting);
}

void types_free(struct types *types)
{
    table_free(&types->measured);
}

void types_name(struct types *types, uint16_t number,
                const struct xenoprof_type *type)
{
    struct sample_type *to = &types->type[number];
    char name[TYPE_TEXT];

    /* The block with its name was lost. */
    snprintf(name, sizeof(name), "event-%u", number - XENOPROF_TYPE_EVENT);
    if ( number < XENOPROF_TYPE_EVENT && *to->name )
        return;
    set_word(to->name, *type->name ? type->name : name);
    set_word(to->unit, *type->unit ? type->unit : "events");
    to->select = type->select;
    to->period = type->period;
    to->turns = type->turns < TURNS_MOST ? type->turns : TURNS_MOST;
}

static bool is_wanted_type(const struct types *types, uint32_t number)
{
    return !strcmp(types->type[number].name, types->wanted);
}

bool types_wants(struct types *types, uint32_t number)
{
    static const struct xenoprof_type unknown = {.name = "", .unit = ""};

    types->timed |= number == XENOPROF_TYPE_TIME;
    if ( !*types->type[number].name )
        types_name(types, (uint16_t)number, &unknown);
    if ( types->wanted )
        return is_wanted_type(types, number);
    return types->all || !types->timed || number == XENOPROF_TYPE_TIME;
}

void types_measured(struct types *types, const struct time_span *span,
                    uint64_t time, const struct xenoprof_measured *measured)
{
    const struct type_measured key = {.key = {measured->type, measured->pcpu}};
    struct type_measured *found;

    if ( time < span->from || time >= span->to )
        return;
    found = must(table_put(&types->measured, &key.key));
    found->enabled += measured->enabled;
    found->running += measured->running;
    types->type[measured->type].enabled += measured->enabled;
    types->type[measured->type].running += measured->running;
}

uint64_t types_scaled(const struct types *types, uint16_t number, uint16_t pcpu,
                      uint64_t units)
{
    const struct type_measured key = {.key = {number, pcpu}};
    const struct type_measured *found = types->measured.count
                                            ? table_find(&types->measured,
                                                         &key.key)
                                            : NULL;
    double scaled = (double)units;

    if ( found && found->running && found->running < found->enabled )
        scaled *= (double)found->enabled / (double)found->running;
    else if ( !found && types->type[number].turns > 1 )
        scaled *= types->type[number].turns;
    else
        return units;
    return scaled < (double)(UINT64_MAX / 2) ? (uint64_t)(scaled + 0.5)
                                             : UINT64_MAX / 2;
}
