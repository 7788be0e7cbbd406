/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON text, written in order.  Internal: linked into the programs, not
 * exported by the library.
 *
 *   struct json json;
 *
 *   json_init(&json, stdout);
 *   json_object_begin(&json);
 *   json_key(&json, "state");
 *   json_string(&json, "running");
 *   json_object_end(&json);
 *   if ( !json_finish(&json) )
 *       ... the output is not whole ...
 *
 * Commas, line ends and indentation are the writer's matter: a small thing
 * (an array or object of plain values) stays on one line if it is begun with
 * the _flat variant.  Strings are escaped, also what a terminal obeys (text.h);
 * bytes that are not UTF-8 come out as U+FFFD, so the text is valid whatever a
 * guest called itself.
 */
#ifndef XENOPROF_BASE_JSON_WRITER_H
#define XENOPROF_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH_MAX 16
#define JSON_PIECE     1536u

struct json {
    FILE *file;
    char piece[JSON_PIECE]; /* numbers of a row, which go out together */
    size_t used;            /* of that */
    unsigned int depth;
    unsigned int flat_from; /* depth from which on all is on one line; 0: no */
    bool first[JSON_DEPTH_MAX + 1]; /* nothing written at this depth yet */
    bool after_key;
    bool broken; /* nested too deep, or ends that do not match */
};

/* Nobody else writes to the file before json_finish(). */
void json_init(struct json *json, FILE *file);
/* A line end; false if not all of it could be written, or is not whole. */
bool json_finish(struct json *json);

void json_object_begin(struct json *json);
void json_object_begin_flat(struct json *json);
void json_object_end(struct json *json);
void json_array_begin(struct json *json);
void json_array_begin_flat(struct json *json);
void json_array_end(struct json *json);

/* In an object, before each value. */
void json_key(struct json *json, const char *key);

/* text NULL: null. */
void json_string(struct json *json, const char *text);
/* Bytes, as Protocol Buffers have them in JSON: a string in base64. */
void json_bytes(struct json *json, const void *bytes, size_t size);
void json_u64(struct json *json, uint64_t value);
void json_i64(struct json *json, int64_t value);
/* Finite, or null. */
void json_double(struct json *json, double value);
void json_bool(struct json *json, bool value);
void json_null(struct json *json);

/* value / 10^digits, to the last digit: ns as ms, with 6; digits at most 9. */
void json_decimal(struct json *json, uint64_t value, unsigned int digits);
/* An array of numbers, on one line. */
void json_numbers(struct json *json, const uint32_t *values, size_t count);

/* Bytes as text (RFC 4648, section 4).  Pieces that are written one after
 * another are one text if each but the last is a multiple of 3 bytes. */
void base64_put(const void *bytes, size_t size, FILE *file);

#endif
