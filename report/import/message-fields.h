/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of a message of protobuf, one after the other, in the encoding
 * that protobuf.dev describes.  Whoever wrote it may have meant harm: nothing
 * is read beyond a cursor's end.
 */
#ifndef XENOPROF_REPORT_IMPORT_MESSAGE_FIELDS_H
#define XENOPROF_REPORT_IMPORT_MESSAGE_FIELDS_H

#include "base/buffer.h"

struct message_field {
    uint32_t number;
    bool is_bytes; /* else a number */
    uint64_t value;
    struct cursor bytes; /* a text, a message, or several numbers */
};

/* Returns whether there is another field, which it puts into *ret; if not, from
 * is bad if it does not end with a field. */
bool message_next(struct cursor *from, struct message_field *ret);

/* For a field that may come as one number or as several in bytes: returns
 * whether there is another number.  Of one number there is one. */
bool message_next_number(struct message_field *field, uint64_t *ret);

#endif
