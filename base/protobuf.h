/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes messages of Protocol Buffers, as their public encoding says: each
 * function appends one field, by its number, to a message in a buffer.  Zeroes
 * and empty texts are not written: readers take them for what is not there.
 * There is no end without memory: it ends the program, as must_do() does.
 */
#ifndef XENOPROF_BASE_PROTOBUF_H
#define XENOPROF_BASE_PROTOBUF_H

#include "buffer.h"

/* Kinds of fields, in the low bits of their heads. */
enum protobuf_wire { PROTOBUF_NUMBER, PROTOBUF_FIXED64, PROTOBUF_BYTES };

void protobuf_number(struct buffer *message, unsigned int field,
                     uint64_t value);
/* Also if it is 0: an element of a list, or one of several that may be there.
 */
void protobuf_element(struct buffer *message, unsigned int field,
                      uint64_t value);
/* An element of a packed list, which is a message of such. */
void protobuf_packed(struct buffer *list, uint64_t value);
void protobuf_fixed64(struct buffer *message, unsigned int field,
                      uint64_t value);
/* An element of a packed list of these. */
void protobuf_packed64(struct buffer *list, uint64_t value);
void protobuf_bytes(struct buffer *message, unsigned int field,
                    const void *bytes, size_t size);
/* NULL is as "".  What is no UTF-8 comes out as U+FFFD: readers refuse it. */
void protobuf_text(struct buffer *message, unsigned int field,
                   const char *text);
/* The same also if it is empty. */
void protobuf_text_element(struct buffer *message, unsigned int field,
                           const char *text);
/* A message in a message, also if it is empty; part is empty then, and keeps
 * its room. */
void protobuf_message(struct buffer *message, unsigned int field,
                      struct buffer *part);

/* The head of one that has so many bytes: they are to follow. */
void protobuf_begin(struct buffer *message, unsigned int field, size_t size);

#endif
