/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pprof-model.h"

#include "base/must.h"
#include "base/scope.h"
#include "message-fields.h"
#include "report/export/pprof-fields.h"

#include <stdlib.h>
#include <string.h>

static void init(struct pprof_model *model)
{
    *model = (struct pprof_model){.usual = 0};
    names_init(&model->names);
    table_init(&model->images, sizeof(uint64_t), sizeof(struct pprof_image));
    table_init(&model->symbols, sizeof(uint64_t), sizeof(struct pprof_symbol));
    table_init(&model->places, sizeof(uint64_t), sizeof(struct pprof_location));
}

void pprof_model_free(struct pprof_model *model)
{
    names_free(&model->names);
    vector_free(&model->strings);
    table_free(&model->images);
    table_free(&model->symbols);
    table_free(&model->places);
    vector_free(&model->lines);
    vector_free(&model->types);
}

const char *pprof_model_text(const struct pprof_model *model, uint64_t number)
{
    const char *text;

    if ( number >= model->strings.count )
        return number ? NULL : "";
    text = names_text(&model->names, model->strings.items[number]);
    return text ? text : "";
}

/* The text of a number; of one that there is not, that the profile is bad. */
static uint32_t text_of(const struct pprof_model *model, uint64_t number,
                        bool *bad)
{
    if ( number < model->strings.count )
        return model->strings.items[number];
    *bad |= number;
    return 0;
}

static void take_string(struct pprof_model *model, const struct cursor *bytes)
{
    char *text SCOPE_FREE = must(
        strndup((const char *)bytes->at, cursor_left(bytes)));
    uint32_t *string = must(vector_add(&model->strings));

    must_do(names_add(&model->names, *text ? text : NULL, string));
}

/* Takes the numbers of a message's fields, the first few by their numbers. */
#define NUMBERS_MAX 16u

static bool take_numbers(struct cursor message, uint64_t ret[NUMBERS_MAX])
{
    struct message_field field;

    memset(ret, 0, NUMBERS_MAX * sizeof(*ret));
    while ( message_next(&message, &field) )
        if ( !field.is_bytes && field.number < NUMBERS_MAX )
            ret[field.number] = field.value;
    return !message.bad;
}

static bool take_image(struct pprof_model *model, const struct cursor *message)
{
    uint64_t numbers[NUMBERS_MAX];
    bool bad = !take_numbers(*message, numbers);
    struct pprof_image *image = must(
        table_put(&model->images, &numbers[PPROF_MAPPING_ID]));

    image->file = text_of(model, numbers[PPROF_MAPPING_FILENAME], &bad);
    return !bad;
}

static bool take_symbol(struct pprof_model *model, const struct cursor *message)
{
    uint64_t numbers[NUMBERS_MAX];
    bool bad = !take_numbers(*message, numbers);
    struct pprof_symbol *symbol = must(
        table_put(&model->symbols, &numbers[PPROF_FUNCTION_ID]));

    symbol->name = text_of(model, numbers[PPROF_FUNCTION_NAME], &bad);
    if ( !symbol->name )
        symbol->name = text_of(model, numbers[PPROF_FUNCTION_SYSTEM_NAME],
                               &bad);
    return !bad;
}

static bool take_line(struct pprof_model *model, const struct cursor *message)
{
    uint64_t numbers[NUMBERS_MAX];

    if ( !take_numbers(*message, numbers) )
        return false;
    *(uint64_t *)must(vector_add(&model->lines)) = numbers[PPROF_LINE_FUNCTION];
    return true;
}

static bool take_place(struct pprof_model *model, const struct cursor *message)
{
    struct cursor from = *message;
    struct message_field field;
    uint64_t numbers[NUMBERS_MAX];
    const size_t first = model->lines.count;
    struct pprof_location *place;
    bool good = take_numbers(*message, numbers);

    while ( good && message_next(&from, &field) )
        if ( field.number == PPROF_LOCATION_LINE && field.is_bytes )
            good = take_line(model, &field.bytes);
    place = must(table_put(&model->places, &numbers[PPROF_LOCATION_ID]));
    place->image = numbers[PPROF_LOCATION_MAPPING];
    place->address = numbers[PPROF_LOCATION_ADDRESS];
    place->first = first;
    place->count = model->lines.count - first;
    return good;
}

static bool take_type(struct pprof_model *model, const struct cursor *message)
{
    uint64_t numbers[NUMBERS_MAX];
    bool bad = !take_numbers(*message, numbers);
    struct pprof_type *type = must(vector_add(&model->types));

    type->name = text_of(model, numbers[PPROF_TYPE_NAME], &bad);
    type->unit = text_of(model, numbers[PPROF_TYPE_UNIT], &bad);
    return !bad;
}

static bool take_message(struct pprof_model *model,
                         const struct message_field *field)
{
    switch ( field->number )
    {
    case PPROF_SAMPLE_TYPE: return take_type(model, &field->bytes);
    case PPROF_MAPPING: return take_image(model, &field->bytes);
    case PPROF_LOCATION: return take_place(model, &field->bytes);
    case PPROF_FUNCTION: return take_symbol(model, &field->bytes);
    default: return true;
    }
}

static bool take_number(struct pprof_model *model,
                        const struct message_field *field)
{
    bool bad = false;

    switch ( field->number )
    {
    case PPROF_TIME_NANOS: model->time = field->value; break;
    case PPROF_DURATION_NANOS: model->duration = field->value; break;
    case PPROF_DEFAULT_SAMPLE_TYPE:
        model->usual = text_of(model, field->value, &bad);
        break;
    default: break;
    }
    return !bad;
}

/* Texts come first, since all else names them. */
const char *pprof_model_read(struct pprof_model *model, struct cursor profile)
{
    struct cursor from = profile;
    struct message_field field;

    init(model);
    while ( message_next(&from, &field) )
        if ( field.number == PPROF_STRING && field.is_bytes )
            take_string(model, &field.bytes);
    if ( from.bad )
        return "it ends within a field, or is not a profile at all";
    while ( message_next(&profile, &field) )
        if ( !(field.is_bytes ? take_message(model, &field)
                              : take_number(model, &field)) )
            return "a part of it is cut, or names a text that it does not have";
    return model->types.count ? NULL : "it does not say what its samples are";
}
