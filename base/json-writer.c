/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "json-writer.h"
#include "text.h"

#define NUMBER_MAX 28u /* characters of any number, and what is beside it */
#define POINT_MAX  10u /* those of a number's part behind the point, and it */

void json_init(struct json *json, FILE *file)
{
    *json = (struct json){.file = file};
    json->first[0] = true;
}

static void send_piece(struct json *json)
{
    if ( json->used )
        fwrite(json->piece, 1, json->used, json->file);
    json->used = 0;
}

bool json_finish(struct json *json)
{
    send_piece(json);
    fputc('\n', json->file);
    if ( fflush(json->file) || ferror(json->file) )
        return false;
    return !json->broken && json->depth == 0;
}

static bool is_flat(const struct json *json)
{
    return json->flat_from && json->depth >= json->flat_from;
}

static void new_line(struct json *json)
{
    if ( is_flat(json) )
        return;
    fputc('\n', json->file);
    for ( unsigned int i = 0; i < json->depth; i++ )
        fputs("  ", json->file);
}

/* What stands between the value before and the one that comes. */
static void separate(struct json *json)
{
    bool first = json->first[json->depth];

    send_piece(json);
    json->first[json->depth] = false;
    if ( json->after_key )
    {
        json->after_key = false;
        return;
    }
    if ( !first )
        fputs(is_flat(json) ? ", " : ",", json->file);
    if ( json->depth )
        new_line(json);
}

static void open_bracket(struct json *json, char bracket, bool flat)
{
    separate(json);
    fputc(bracket, json->file);
    if ( json->depth >= JSON_DEPTH_MAX )
    {
        json->broken = true;
        return;
    }
    json->depth++;
    json->first[json->depth] = true;
    if ( flat && !json->flat_from )
        json->flat_from = json->depth;
}

static void close_bracket(struct json *json, char bracket)
{
    bool empty = json->first[json->depth];
    bool flat = is_flat(json);

    send_piece(json);
    if ( json->depth == 0 || json->after_key )
    {
        json->broken = true;
        return;
    }
    json->depth--;
    if ( json->flat_from > json->depth )
        json->flat_from = 0;
    if ( !empty && !flat )
        new_line(json);
    fputc(bracket, json->file);
}

void json_object_begin(struct json *json)
{
    open_bracket(json, '{', false);
}

void json_object_begin_flat(struct json *json)
{
    open_bracket(json, '{', true);
}

void json_object_end(struct json *json)
{
    close_bracket(json, '}');
}

void json_array_begin(struct json *json)
{
    open_bracket(json, '[', false);
}

void json_array_begin_flat(struct json *json)
{
    open_bracket(json, '[', true);
}

void json_array_end(struct json *json)
{
    close_bracket(json, ']');
}

/* What a terminal obeys, or what changes how others are shown. */
static bool is_obeyed(uint32_t code)
{
    return (code >= 0x80 && code < 0xa0) || text_shapeless(code);
}

static void put_ascii(FILE *file, unsigned char byte)
{
    switch ( byte )
    {
    case '"': fputs("\\\"", file); break;
    case '\\': fputs("\\\\", file); break;
    case '\n': fputs("\\n", file); break;
    case '\r': fputs("\\r", file); break;
    case '\t': fputs("\\t", file); break;
    default:
        if ( byte < 0x20 || byte == 0x7f )
            fprintf(file, "\\u%04x", byte);
        else
            fputc(byte, file);
    }
}

static void put_quoted(FILE *file, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    fputc('"', file);
    while ( *at )
    {
        uint32_t code;
        unsigned int length = text_utf8(at, &code);

        if ( length == 1 )
            put_ascii(file, *at);
        else if ( !length )
            fputs("\\ufffd", file);
        else if ( !is_obeyed(code) )
            fwrite(at, 1, length, file);
        else if ( code < 0x10000 )
            fprintf(file, "\\u%04x", code);
        else
            fprintf(file, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10),
                    0xdc00 + (code & 0x3ff));
        at += length ? length : 1;
    }
    fputc('"', file);
}

void json_key(struct json *json, const char *key)
{
    if ( json->after_key || json->depth == 0 )
        json->broken = true;
    separate(json);
    put_quoted(json->file, key);
    fputs(": ", json->file);
    json->after_key = true;
}

void json_string(struct json *json, const char *text)
{
    separate(json);
    if ( text )
        put_quoted(json->file, text);
    else
        fputs("null", json->file);
}

static char *put_pair(char *end, uint64_t value)
{
    static const char pairs[] = "00010203040506070809"
                                "10111213141516171819"
                                "20212223242526272829"
                                "30313233343536373839"
                                "40414243444546474849"
                                "50515253545556575859"
                                "60616263646566676869"
                                "70717273747576777879"
                                "80818283848586878889"
                                "90919293949596979899";

    end -= 2;
    memcpy(end, pairs + value * 2, 2);
    return end;
}

/* Writes a number's digits so that they end before end.  Returns where they
 * begin.  There are millions of numbers: printf() is not quick, and two digits
 * take one division. */
static char *put_digits(char *end, uint64_t value)
{
    for ( ; value >= 100; value /= 100 )
        end = put_pair(end, value % 100);
    if ( value >= 10 )
        return put_pair(end, value);
    *--end = (char)('0' + value);
    return end;
}

/* Most numbers are in an array on one line, with others before them: what
 * stands between them goes out with them.  Leaves room for one. */
static void separate_number(struct json *json)
{
    if ( !is_flat(json) || json->first[json->depth] || json->after_key )
    {
        separate(json);
        return;
    }
    if ( JSON_PIECE - json->used < NUMBER_MAX )
        send_piece(json);
    json->piece[json->used++] = ',';
    json->piece[json->used++] = ' ';
}

static void put_piece(struct json *json, const char *first, const char *end)
{
    memcpy(json->piece + json->used, first, (size_t)(end - first));
    json->used += (size_t)(end - first);
}

void json_u64(struct json *json, uint64_t value)
{
    char text[NUMBER_MAX], *end = text + sizeof(text);

    separate_number(json);
    put_piece(json, put_digits(end, value), end);
}

/* The same with zeros before it, as many digits as that, and none behind the
 * last other. */
static char *put_fraction(char *to, uint64_t value, unsigned int digits)
{
    char *first = to, *end = to + digits;

    for ( ; digits >= 2; digits -= 2, value /= 100 )
        put_pair(first + digits, value % 100);
    if ( digits )
        *first = (char)('0' + value);
    while ( end > first && end[-1] == '0' )
        end--;
    return end;
}

void json_decimal(struct json *json, uint64_t value, unsigned int digits)
{
    static const uint64_t powers[] = {1,         10,        100,     1000,
                                      10000,     100000,    1000000, 10000000,
                                      100000000, 1000000000};
    const uint64_t power = powers[digits], whole = value / power;
    const uint64_t part = value - whole * power;
    char text[NUMBER_MAX + POINT_MAX], *point = text + NUMBER_MAX, *end = point;

    if ( part )
    {
        *end++ = '.';
        end = put_fraction(end, part, digits);
    }
    separate_number(json);
    put_piece(json, put_digits(point, whole), end);
}

void json_numbers(struct json *json, const uint32_t *values, size_t count)
{
    char digits[NUMBER_MAX], *end = digits + sizeof(digits);

    separate_number(json);
    json->piece[json->used++] = '[';
    for ( size_t i = 0; i < count; i++ )
    {
        if ( JSON_PIECE - json->used < NUMBER_MAX )
            send_piece(json);
        if ( i )
            json->piece[json->used++] = ',';
        put_piece(json, put_digits(end, values[i]), end);
    }
    json->piece[json->used++] = ']';
}

void json_i64(struct json *json, int64_t value)
{
    separate(json);
    fprintf(json->file, "%" PRId64, value);
}

void json_double(struct json *json, double value)
{
    separate(json);
    if ( isfinite(value) )
        fprintf(json->file, "%.10g", value);
    else
        fputs("null", json->file);
}

void json_bool(struct json *json, bool value)
{
    separate(json);
    fputs(value ? "true" : "false", json->file);
}

void json_null(struct json *json)
{
    separate(json);
    fputs("null", json->file);
}

void base64_put(const void *bytes, size_t size, FILE *file)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *data = bytes;

    for ( size_t i = 0; i < size; i += 3 )
    {
        uint32_t word = (uint32_t)data[i] << 16;
        char four[] = "====";

        if ( i + 1 < size )
            word |= (uint32_t)data[i + 1] << 8;
        if ( i + 2 < size )
            word |= data[i + 2];
        four[0] = digits[word >> 18];
        four[1] = digits[word >> 12 & 63];
        if ( i + 1 < size )
            four[2] = digits[word >> 6 & 63];
        if ( i + 2 < size )
            four[3] = digits[word & 63];
        fwrite(four, 1, 4, file);
    }
}

void json_bytes(struct json *json, const void *bytes, size_t size)
{
    separate(json);
    fputc('"', json->file);
    base64_put(bytes, size, json->file);
    fputc('"', json->file);
}
