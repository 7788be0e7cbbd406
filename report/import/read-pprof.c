/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles of pprof: a message perftools.profiles.Profile (proto/profile.proto
 * of github.com/google/pprof), mostly gzip'ed.  What xenopreport
 * --export=pprof adds as labels says whose samples they are; other profiles are
 * one domain that is called as the file.
 */
#include "import-formats.h"
#include "import-names.h"

#include "base/must.h"
#include "base/scope.h"
#include "message-fields.h"
#include "pprof-labels.h"
#include "pprof-model.h"
#include "report/export/pprof-fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#define PIECE      65536u
#define UNCOUNTED  SIZE_MAX
#define FRAMES_MAX 1025u /* one more than a session holds: then it is cut */

/* Places that a location is in a domain. */
struct pprof_frames {
    struct {
        uint64_t place;
        uint16_t domain, mode; /* mode: of what has no image */
        uint32_t zero;
    } key;
    size_t first, count; /* in pprof_reader.known */
    uint8_t mode;
};

/* What becomes of one of the profile's values. */
struct pprof_value {
    uint16_t type;   /* of the session */
    size_t counts;   /* the value that says how many samples; or UNCOUNTED */
    bool is_counter; /* it only says that of the next one */
};

struct pprof_reader {
    const struct import_file *file;
    struct sink *sink;
    struct failure *failure;
    struct pprof_model model;
    struct {
        VECTOR(struct pprof_value);
    } values;
    struct {
        VECTOR(uint64_t);
    } ids, amounts; /* of one sample */
    struct {
        VECTOR(uint32_t);
    } known, places; /* of all locations; of one sample */
    struct table frames;
    uint32_t epoch;
    struct pprof_labels labels;
};

bool is_pprof_packed(const struct import_head *head)
{
    return head->size > 2 && head->bytes[0] == 0x1f && head->bytes[1] == 0x8b;
}

/* A field of bytes of a profile, whole or as far as the head goes, and what
 * comes behind it, too. */
bool is_pprof(const struct import_head *head)
{
    struct cursor from = {head->bytes, head->bytes + head->size, false};
    struct message_field field = {.number = 0};

    return head->size && message_next(&from, &field) &&
           field.number <= PPROF_DEFAULT_SAMPLE_TYPE &&
           (message_next(&from, &field)
                ? field.number <= PPROF_DEFAULT_SAMPLE_TYPE
                : head->size == IMPORT_HEAD_MAX);
}

static enum exit_status refuse_profile(const struct pprof_reader *reader,
                                       const char *what)
{
    return fail(reader->failure, STATUS_BAD_SESSION,
                "%s cannot be read as a profile of pprof: %s",
                reader->file->path, what);
}

/* Returns whether the whole file, unpacked if it is packed, is in ret. */
static bool unpack_file(const struct pprof_reader *reader, struct buffer *ret)
{
    gzFile packed = gzdopen(dup(reader->file->fd), "rb");
    int got = 1;

    while ( packed && got > 0 )
    {
        must_do(buffer_reserve(ret, PIECE));
        got = gzread(packed, ret->bytes + ret->used, PIECE);
        ret->used += got > 0 ? (size_t)got : 0;
    }
    return packed && gzclose(packed) == Z_OK && !got;
}

static const char *type_name(const struct pprof_reader *reader, size_t value)
{
    return names_text(&reader->model.names,
                      reader->model.types.items[value].name);
}

static bool is_counted(const struct pprof_reader *reader, size_t value)
{
    const char *unit = names_text(&reader->model.names,
                                  reader->model.types.items[value].unit);

    return unit && !strcmp(unit, "count");
}

static bool is_samples(const struct pprof_reader *reader, size_t value)
{
    const char *name = type_name(reader, value);

    return name && is_counted(reader, value) &&
           (!strcmp(name, "samples") || !strcmp(name, "sample"));
}

/* "samples", or "cycles-samples" before "cycles": how many samples the next
 * value is of. */
static bool counts_next(const struct pprof_reader *reader, size_t value)
{
    const char *name = type_name(reader, value), *next;
    size_t length;

    if ( value + 1 >= reader->model.types.count || !name ||
         !is_counted(reader, value) || is_counted(reader, value + 1) )
        return false;
    next = type_name(reader, value + 1);
    length = next ? strlen(next) : 0;
    return is_samples(reader, value) ||
           (length && !strncmp(name, next, length) &&
            !strcmp(name + length, "-samples"));
}

static uint16_t declare_type(struct pprof_reader *reader, size_t value)
{
    const struct pprof_type *type = &reader->model.types.items[value];
    const char *name = type_name(reader, value);
    const char *unit = names_text(&reader->model.names, type->unit);

    if ( unit && !strcmp(unit, "nanoseconds") )
        unit = "ns";
    return sink_event(reader->sink, name ? name : "samples", unit ? unit : "",
                      0, 0);
}

/* The first type is that which reports show: the profile's default, else its
 * last one, as pprof does. */
static void declare_usual(struct pprof_reader *reader)
{
    const struct pprof_model *model = &reader->model;
    size_t usual = model->types.count - 1;

    for ( size_t i = 0; i < model->types.count; i++ )
        if ( model->usual && model->types.items[i].name == model->usual )
            usual = i;
    if ( counts_next(reader, usual) )
        usual++;
    declare_type(reader, usual);
}

static void declare_types(struct pprof_reader *reader)
{
    declare_usual(reader);
    for ( size_t i = 0; i < reader->model.types.count; i++ )
    {
        struct pprof_value *value = must(vector_add(&reader->values));

        value->is_counter = counts_next(reader, i);
        value->counts = i && counts_next(reader, i - 1) ? i - 1
                        : is_samples(reader, i)         ? i
                                                        : UNCOUNTED;
        if ( !value->is_counter )
            value->type = declare_type(reader, i);
    }
}

/* Whether a name is but the address, or the image's, as of code without one. */
static bool is_no_name(const char *name, const struct xenoprof_place *at)
{
    const char *image = at->image ? at->image : "user";
    const char *slash = strrchr(image, '/');
    char address[20];
    char *mark SCOPE_FREE = must_text("[%s]", slash ? slash + 1 : image);

    snprintf(address, sizeof(address), "0x%" PRIx64, at->address);
    return !strcmp(name, address) || !strcmp(name, mark);
}

static void add_line(struct pprof_reader *reader,
                     const struct xenoprof_place *at, uint64_t symbol)
{
    const struct pprof_symbol *of = table_find(&reader->model.symbols, &symbol);
    const char *name = of ? names_text(&reader->model.names, of->name) : NULL;
    struct xenoprof_place place = *at;

    if ( name && !is_no_name(name, at) )
        place.symbol = name;
    if ( name && import_is_mark(name) )
        place.mode = XENOPROF_MODE_USER;
    *(uint32_t *)must(vector_add(&reader->known)) = sink_place(reader->sink,
                                                               &place);
}

static void find_places(struct pprof_reader *reader,
                        struct pprof_frames *frames)
{
    const struct pprof_location *from = table_find(&reader->model.places,
                                                   &frames->key.place);
    const struct pprof_image *image = from ? table_find(&reader->model.images,
                                                        &from->image)
                                           : NULL;
    const char *file = image ? names_text(&reader->model.names, image->file)
                             : NULL;
    char *name SCOPE_FREE = NULL;
    struct xenoprof_place place = {.domain = frames->key.domain};

    frames->mode = (uint8_t)frames->key.mode;
    if ( file )
    {
        frames->mode = 0;
        name = import_image(file, &frames->mode);
    }
    place.mode = frames->mode;
    place.image = name;
    place.address = from ? from->address : 0;
    frames->first = reader->known.count;
    for ( size_t i = 0; from && i < from->count && i < FRAMES_MAX; i++ )
        add_line(reader, &place, reader->model.lines.items[from->first + i]);
    if ( !from || !from->count )
        add_line(reader, &place, 0);
    frames->count = reader->known.count - frames->first;
}

/* Numbers of places are good until the session begins another file. */
static struct pprof_frames *frames_of(struct pprof_reader *reader, uint64_t id,
                                      uint16_t domain, uint8_t mode)
{
    const struct pprof_frames key = {.key = {id, domain, mode, 0}};
    struct pprof_frames *frames;

    if ( reader->epoch != sink_epoch(reader->sink) )
    {
        reader->epoch = sink_epoch(reader->sink);
        table_free(&reader->frames);
        reader->known.count = 0;
    }
    frames = must(table_put(&reader->frames, &key.key));
    if ( !frames->count )
        find_places(reader, frames);
    return frames;
}

/* From the leaf to the root; what has no image is as what it called, and the
 * leaf as its label says. */
static void find_chain(struct pprof_reader *reader,
                       struct xenoprof_stored *sample)
{
    uint8_t mode = reader->labels.mode;

    reader->places.count = 0;
    for ( size_t i = 0;
          i < reader->ids.count && reader->places.count < FRAMES_MAX; i++ )
    {
        const struct pprof_frames *frames = frames_of(
            reader, reader->ids.items[i], sample->domain, mode);

        mode = frames->mode;
        if ( !i && !reader->labels.has_mode )
            sample->mode = mode;
        for ( size_t j = 0; j < frames->count; j++ )
            *(uint32_t *)must(vector_add(
                &reader->places)) = reader->known.items[frames->first + j];
    }
}

static enum exit_status put_values(struct pprof_reader *reader,
                                   const struct xenoprof_stored *sample)
{
    struct xenoprof_stored of = *sample;

    for ( size_t i = 0; i < reader->values.count; i++ )
    {
        const struct pprof_value *value = &reader->values.items[i];
        const struct sink_amount amount = {
            .amount = reader->amounts.items[i],
            .samples = value->counts == UNCOUNTED
                           ? 1
                           : reader->amounts.items[value->counts]};

        if ( value->is_counter || !amount.amount )
            continue;
        if ( amount.amount > INT64_MAX || amount.samples > INT64_MAX )
            return refuse_profile(reader,
                                  "it has values below 0, as the difference "
                                  "of two profiles: give both to --diff");
        of.type = value->type;
        sink_samples(reader->sink, &of, reader->places.items,
                     reader->places.count, &amount);
    }
    return reader->failure->status;
}

/* Takes a sample apart.  Returns false if it is not whole. */
static bool split_sample(struct pprof_reader *reader, struct cursor message)
{
    struct message_field field;
    uint64_t number;

    reader->ids.count = reader->amounts.count = 0;
    pprof_labels_begin(&reader->labels);
    while ( message_next(&message, &field) )
    {
        if ( field.number == PPROF_SAMPLE_LOCATION )
            while ( message_next_number(&field, &number) )
                *(uint64_t *)must(vector_add(&reader->ids)) = number;
        else if ( field.number == PPROF_SAMPLE_VALUE )
            while ( message_next_number(&field, &number) )
                *(uint64_t *)must(vector_add(&reader->amounts)) = number;
        else if ( field.number == PPROF_SAMPLE_LABEL && field.is_bytes &&
                  !pprof_labels_take(&reader->labels, &reader->model,
                                     field.bytes) )
            return false;
        if ( field.bytes.bad )
            return false;
    }
    return !message.bad;
}

static enum exit_status read_sample(struct pprof_reader *reader,
                                    const struct cursor *message)
{
    struct xenoprof_stored sample = {.time = SINK_START, .weight = 1};

    if ( !split_sample(reader, *message) )
        return refuse_profile(reader, "one of its samples is cut");
    if ( reader->amounts.count != reader->model.types.count )
        return refuse_profile(reader, "one of its samples has not as many "
                                      "values as it says that there are");
    pprof_labels_end(&reader->labels, reader->sink, reader->file->name,
                     &sample);
    find_chain(reader, &sample);
    return put_values(reader, &sample);
}

static void read_samples(struct pprof_reader *reader, struct cursor profile)
{
    struct message_field field;

    declare_types(reader);
    if ( reader->model.time && reader->model.time <= INT64_MAX )
        sink_utc(reader->sink, SINK_START, reader->model.time);
    while ( !reader->failure->status && message_next(&profile, &field) )
        if ( field.number == PPROF_SAMPLE && field.is_bytes )
            read_sample(reader, &field.bytes);
}

static enum exit_status read_profile(struct pprof_reader *reader,
                                     struct cursor profile)
{
    const char *wrong = pprof_model_read(&reader->model, profile);

    table_init(&reader->frames, sizeof(((struct pprof_frames *)0)->key),
               sizeof(struct pprof_frames));
    if ( wrong )
        refuse_profile(reader, wrong);
    else
        read_samples(reader, profile);
    table_free(&reader->frames);
    pprof_model_free(&reader->model);
    vector_free(&reader->values);
    vector_free(&reader->ids);
    vector_free(&reader->amounts);
    vector_free(&reader->known);
    vector_free(&reader->places);
    return reader->failure->status;
}

enum exit_status read_pprof(const struct import_file *file, struct sink *sink,
                            uint64_t *end, struct failure *failure)
{
    struct pprof_reader reader = {
        .file = file, .sink = sink, .failure = failure};
    struct buffer bytes = {0};

    *end = SINK_START;
    if ( !unpack_file(&reader, &bytes) )
        refuse_profile(&reader, "its gzip is damaged, or cut");
    else
        read_profile(&reader, (struct cursor){bytes.bytes,
                                              bytes.bytes + bytes.used, false});
    if ( reader.model.duration < UINT64_MAX / 2 )
        *end += reader.model.duration;
    buffer_free(&bytes);
    return failure->status;
}

/* zlib reads both. */
enum exit_status read_pprof_packed(const struct import_file *file,
                                   struct sink *sink, uint64_t *end,
                                   struct failure *failure)
{
    return read_pprof(file, sink, end, failure);
}
