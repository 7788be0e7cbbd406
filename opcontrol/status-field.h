/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables that say which member of struct status a KEY=value fills: a key of an
 * answer's line, or an attribute of a session. */
#ifndef XENOPROF_OPCONTROL_STATUS_FIELD_H
#define XENOPROF_OPCONTROL_STATUS_FIELD_H

#include <stddef.h>

#include "status.h"

struct status_field {
    const char *key;
    size_t offset;
    size_t size; /* of a text; 0: a number */
};

#define STATUS_NUMBER(key, member)                                             \
    {                                                                          \
        key, offsetof(struct status, member), 0                                \
    }
#define STATUS_TEXT(key, member)                                               \
    {                                                                          \
        key, offsetof(struct status, member),                                  \
            sizeof(((struct status *)NULL)->member)                            \
    }

#endif
