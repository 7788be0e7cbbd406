/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "push-body.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/json-writer.h"
#include "base/scope.h"

#define WINDOW_GZIP (MAX_WBITS + 16) /* zlib.h: a head and a sum as gzip's */

/* What Prometheus calls a series: by this name both engines show a profile of
 * processor time first. */
#define LABEL_NAME   "__name__"
#define PROFILE_NAME "process_cpu"

static bool is_name(const char *text)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    size_t length = strspn(text, letters);

    if ( !length )
        return false;
    while ( text[length] && (strchr(letters, text[length]) ||
                             (text[length] >= '0' && text[length] <= '9')) )
        length++;
    return !text[length];
}

bool push_label_set(struct push_labels *labels, const char *name,
                    const char *value)
{
    struct push_label *label = labels->items;
    size_t at = 0;

    if ( !is_name(name) || strlen(name) >= sizeof(label->name) ||
         strlen(value) >= sizeof(label->value) )
        return false;
    while ( at < labels->count && strcmp(label[at].name, name) )
        at++;
    if ( at == PUSH_LABELS_MAX )
        return false;
    strcpy(label[at].name, name);
    strcpy(label[at].value, value);
    if ( at == labels->count )
        labels->count++;
    return true;
}

static void put_json_label(struct json *json, const char *name,
                           const char *value)
{
    if ( !value )
        return;
    json_object_begin_flat(json);
    json_key(json, "name");
    json_string(json, name);
    json_key(json, "value");
    json_string(json, value);
    json_object_end(json);
}

static void put_json_labels(struct json *json, const struct push_labels *labels,
                            const struct window_series *series)
{
    json_array_begin(json);
    put_json_label(json, LABEL_NAME, PROFILE_NAME);
    for ( size_t i = 0; i < labels->count; i++ )
        put_json_label(json, labels->items[i].name, labels->items[i].value);
    put_json_label(json, "domain", series->domain);
    put_json_label(json, "uuid", series->uuid);
    json_array_end(json);
}

static void put_json_profile(struct json *json, const struct buffer *bytes)
{
    json_array_begin(json);
    json_object_begin_flat(json);
    json_key(json, "rawProfile");
    json_bytes(json, bytes->bytes, bytes->used);
    json_object_end(json);
    json_array_end(json);
}

/* nested: the labels of a series are in an object of their own. */
static void put_json(const struct window *window,
                     const struct push_labels *labels, bool nested, FILE *file)
{
    struct json json;

    json_init(&json, file);
    json_object_begin(&json);
    json_key(&json, "series");
    json_array_begin(&json);
    for ( size_t i = 0; i < window->count; i++ )
    {
        json_object_begin(&json);
        json_key(&json, "labels");
        if ( nested )
        {
            json_object_begin(&json);
            json_key(&json, "labels");
        }
        put_json_labels(&json, labels, &window->items[i]);
        if ( nested )
            json_object_end(&json);
        json_key(&json, "samples");
        put_json_profile(&json, &window->items[i].bytes);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    json_finish(&json);
}

void body_pyroscope(const struct window *window,
                    const struct push_labels *labels, FILE *file)
{
    put_json(window, labels, false, file);
}

void body_parca(const struct window *window, const struct push_labels *labels,
                FILE *file)
{
    put_json(window, labels, true, file);
}

void body_whole(const struct window *window, const struct push_labels *labels,
                FILE *file)
{
    (void)labels;
    for ( size_t i = 0; i < window->count; i++ )
        fwrite(window->items[i].bytes.bytes, 1, window->items[i].bytes.used,
               file);
}

bool push_compress(struct buffer *ret, void *bytes, size_t size)
{
    z_stream stream = {.next_in = bytes, .avail_in = (unsigned int)size};
    bool done;

    if ( size > UINT32_MAX ||
         deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW_GZIP, 8,
                      Z_DEFAULT_STRATEGY) != Z_OK )
        return false;
    done = buffer_reserve(ret, deflateBound(&stream, size));
    if ( done )
    {
        stream.next_out = ret->bytes + ret->used;
        stream.avail_out = (unsigned int)(ret->room - ret->used);
        done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
        ret->used += stream.total_out;
    }
    deflateEnd(&stream);
    return done;
}

bool push_body(body_put *put, bool gzip, const struct window *window,
               const struct push_labels *labels, struct buffer *ret)
{
    char *text SCOPE_FREE = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    bool whole;

    if ( !file )
        return false;
    put(window, labels, file);
    whole = !ferror(file);
    if ( fclose(file) || !whole )
        return false;
    ret->used = 0;
    return gzip ? push_compress(ret, text, size)
                : buffer_append(ret, text, size);
}
