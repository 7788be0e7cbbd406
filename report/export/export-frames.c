/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of a report as other tools know code: functions, files, and places
 * that have several functions since some were inlined. */
#include "export-walk.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/format.h"

#include <stdlib.h>
#include <string.h>

static const char *known_text(const struct names *names, uint32_t number)
{
    const char *text = names_text(names, number);

    return text ? text : "";
}

/* The first function of those that differ only in their source. */
struct function_home {
    struct frame_key key; /* path is 0 */
    uint32_t function;
};

/* Functions are told apart as frames are, but for lines, and for addresses of
 * what has a name, or is in an area: frames have these. */
static struct frame_key function_key(const struct export_walk *walk,
                                     const struct frame_key *frame)
{
    const struct place_name at = {.address = frame->address,
                                  .image = frame->image,
                                  .symbol = frame->symbol};
    struct frame_key key = *frame;

    if ( key.kind == FRAME_CODE && !key.area )
        key.area = (uint8_t)area_of(&walk->texts.stacks->areas, key.mode, &at);
    if ( key.symbol || key.area )
        key.address = 0;
    key.line = 0;
    return key;
}

static void name_function(const struct export_walk *walk,
                          struct walk_function *function)
{
    const struct names *names = &walk->loaded->names;
    const struct frame of = {.key = function->key};

    function->image = known_text(names, of.key.image);
    function->source = known_text(names, of.key.path);
    /* By address, a thread has not its name in place of a function's. */
    function->name = of.key.area == AREA_USER && *function->image &&
                             walk->texts.stacks->detail == FRAMES_BY_ADDRESS
                         ? must_text("[%s]",
                                     format_without_path(function->image))
                         : frame_symbol(&walk->texts, &of);
}

/* Where no line is known, the source is not, either: the function is then one
 * of those that have it. */
static uint32_t function_of(struct export_walk *walk, struct table *homes,
                            const struct frame *frame)
{
    struct frame_key key = function_key(walk, &frame->key), anywhere = key;
    struct function_home *home;
    struct walk_function *function;
    uint32_t number;

    anywhere.path = 0;
    home = table_find(homes, &anywhere);
    if ( home && !key.path )
        function = table_at(&walk->functions, home->function);
    else
        function = must(table_put(&walk->functions, &key));
    number = (uint32_t)table_index(&walk->functions, function);
    if ( !function->name )
    {
        name_function(walk, function);
        function->start = frame->start;
    }
    else if ( function->start != frame->start )
        function->start = 0;
    if ( home )
        return number;
    home = must(table_put(homes, &anywhere));
    home->function = number;
    return number;
}

static uint32_t mapping_of(struct export_walk *walk,
                           const struct walk_function *function,
                           uint64_t address)
{
    const struct walk_mapping key = {
        .key = {function->key.image, function->key.mode}};
    struct walk_mapping *mapping;

    if ( function->key.kind != FRAME_CODE || !*function->image )
        return WALK_NONE;
    mapping = must(table_put(&walk->mappings, &key.key));
    if ( address && (!mapping->first || address < mapping->first) )
        mapping->first = address;
    if ( address > mapping->last )
        mapping->last = address;
    return (uint32_t)table_index(&walk->mappings, mapping);
}

/* Those whose source is known come first: others may be of their functions. */
static void find_functions(struct export_walk *walk,
                           const struct stacks *stacks)
{
    struct table homes;

    table_init(&homes, sizeof(struct frame_key), sizeof(struct function_home));
    for ( unsigned int sourced = 2; sourced-- > 0; )
        for ( size_t i = 0; i < stacks->frames.count; i++ )
        {
            const struct frame *frame = table_at(&stacks->frames, i);

            if ( (frame->key.path != 0) == sourced )
                walk->frames.items[i].function = function_of(walk, &homes,
                                                             frame);
        }
    table_free(&homes);
}

void walk_put_frames(struct export_walk *walk, const struct stacks *stacks)
{
    for ( size_t i = 0; i < stacks->frames.count; i++ )
    {
        const struct frame *frame = table_at(&stacks->frames, i);
        struct walk_frame *to = must(vector_add(&walk->frames));

        to->address = frame->key.address;
        to->line = frame->key.line;
    }
    find_functions(walk, stacks);
    for ( size_t i = 0; i < stacks->frames.count; i++ )
    {
        struct walk_frame *to = &walk->frames.items[i];

        to->mapping = mapping_of(walk, walk_function(walk, to->function),
                                 to->address);
    }
}

/* As the daemon names them: user-names.c. */
static bool is_inlined(const struct export_walk *walk,
                       const struct walk_frame *frame)
{
    static const char mark[] = " (inlined)";
    const char *name = walk_function(walk, frame->function)->name;
    const size_t length = strlen(name);

    return length >= sizeof(mark) &&
           !strcmp(name + length - (sizeof(mark) - 1), mark);
}

/* Whether a stack's leaf was inlined into the function that is its caller. */
static bool is_in_caller(const struct export_walk *walk, const bool *inlined,
                         const struct walk_stack *stack)
{
    const struct walk_frame *frames = walk->frames.items, *leaf, *caller;

    if ( stack->caller == WALK_NONE || stack->frame == WALK_NONE ||
         !inlined[stack->frame] ||
         walk->stacks.items[stack->caller].frame == WALK_NONE )
        return false;
    leaf = &frames[stack->frame];
    caller = &frames[walk->stacks.items[stack->caller].frame];
    return leaf->address == caller->address && leaf->mapping == caller->mapping;
}

static uint32_t put_location(struct export_walk *walk, uint32_t frame,
                             uint32_t outer)
{
    const struct walk_location key = {.key = {frame, outer}};

    return (uint32_t)table_index(&walk->locations,
                                 must(table_put(&walk->locations, &key.key)));
}

void walk_find_locations(struct export_walk *walk)
{
    bool *inlined SCOPE_FREE = must(
        calloc(walk->frames.count + 1, sizeof(*inlined)));

    for ( uint32_t i = 0; i < walk->frames.count; i++ )
    {
        inlined[i] = is_inlined(walk, &walk->frames.items[i]);
        put_location(walk, i, WALK_NONE);
    }
    must_do(vector_reserve(&walk->located, walk->stacks.count));
    for ( size_t i = 0; i < walk->stacks.count; i++ )
    {
        const struct walk_stack *stack = &walk->stacks.items[i];
        struct walk_located *to = must(vector_add(&walk->located));

        *to = (struct walk_located){stack->caller, stack->frame};
        if ( !is_in_caller(walk, inlined, stack) )
            continue;
        *to = walk->located.items[stack->caller];
        to->location = put_location(walk, stack->frame, to->location);
    }
}
