/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The values of an option by their type: read from text, and written as a
 * field of a line (protocol.h).
 */
#ifndef XENOPROF_CONTROL_OPTION_VALUE_H
#define XENOPROF_CONTROL_OPTION_VALUE_H

#include <stddef.h>
#include <stdio.h>

#include "asked-domains.h"
#include "domain-pairs.h"
#include "base/failure.h"

enum value_type {
    /* unsigned int; VALUE_WORDS is the last */
    VALUE_FLAG, /* "1" */
    VALUE_NUMBER,
    VALUE_POWER_OF_TWO,
    VALUE_DURATION, /* in seconds; "90s", "2d" */
    VALUE_WORD,     /* one of choices */
    VALUE_WORDS,    /* "none", or some of choices with commas between them */
    /* char[] */
    VALUE_TEXT,
    VALUE_PATH, /* absolute */
    /* what the names say */
    VALUE_NUMBER_SET,
    VALUE_DOMAINS,
    VALUE_PAIRS
};

struct option_choice {
    const char *word;
    unsigned int value;
};

/* How --help shows an option. */
struct option_help {
    const char *name;     /* long name, without dashes */
    const char *argument; /* NULL: the option takes no value */
    const char *help;
};

struct option_row {
    struct option_help shown;
    enum value_type type;
    size_t offset, size; /* of the member of struct start_options */
    unsigned int min, max;
    const char *unit; /* of a number, behind its range */
    const char *zero; /* what 0 is good for, if it is allowed below min */
    const struct option_choice *choices;
    enum domain_role role;
    /* Adds what is right.  Returns 0, STATUS_USAGE or STATUS_RANGE. */
    int (*add_pair)(struct domain_pairs *pairs, const char *option,
                    const char *text, struct failure *failure);
    unsigned int usual; /* without the option */
    const char *usual_text;
    bool without_start; /* commands other than --start use it too */
    bool always;        /* also in the text if the value is the usual one */
};

/* Sets the member of the row from value.  Returns 0, STATUS_USAGE or
 * STATUS_RANGE. */
int option_set(const struct option_row *row, void *member, const char *value,
               struct failure *failure);

/* Writes the member as NAME=VALUE, unless it has the usual value. */
void option_put(const struct option_row *row, const void *member, FILE *file);

#endif
