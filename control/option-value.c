/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each type of value, read and written; a sentence says what is wrong. */
#include <string.h>

#include "base/duration.h"
#include "base/scope.h"
#include "number-set.h"
#include "option-value.h"
#include "protocol.h"

static int set_flag(const struct option_row *row, unsigned int *member,
                    const char *value, struct failure *failure)
{
    if ( strcmp(value, "1") )
        return fail(failure, STATUS_USAGE, "--%s takes no value",
                    row->shown.name);
    *member = 1;
    return 0;
}

static int set_number(const struct option_row *row, unsigned int *member,
                      const char *value, struct failure *failure)
{
    uint64_t number;

    if ( !number_parse(value, 0, row->max, &number) ||
         (number < row->min && (number || !row->zero)) )
        return fail(failure, STATUS_RANGE,
                    "--%s=%s is out of range: %u to %u %s%s%s", row->shown.name,
                    value, row->min, row->max, row->unit,
                    row->zero ? ", or 0 " : "", row->zero ? row->zero : "");
    *member = (unsigned int)number;
    return 0;
}

static int set_power_of_two(const struct option_row *row, unsigned int *member,
                            const char *value, struct failure *failure)
{
    uint64_t number;

    if ( !number_parse(value, row->min, row->max, &number) ||
         (number & (number - 1)) )
        return fail(failure, STATUS_RANGE,
                    "--%s=%s is not a power of two from %u to %u %s",
                    row->shown.name, value, row->min, row->max, row->unit);
    *member = (unsigned int)number;
    return 0;
}

static int set_duration(const struct option_row *row, unsigned int *member,
                        const char *value, struct failure *failure)
{
    uint64_t seconds;

    if ( !duration_parse(value, row->max, &seconds) || seconds < row->min )
        return fail(failure, STATUS_RANGE,
                    "--%s=%s is not a time of %s, " DURATION_EXAMPLES,
                    row->shown.name, value, row->unit);
    *member = (unsigned int)seconds;
    return 0;
}

/* Returns the choice whose word is the first length bytes of text, or NULL. */
static const struct option_choice *find_choice(const struct option_row *row,
                                               const char *text, size_t length)
{
    for ( const struct option_choice *one = row->choices; one->word; one++ )
        if ( strlen(one->word) == length &&
             strncmp(one->word, text, length) == 0 )
            return one;
    return NULL;
}

/* Joins the words of all choices. */
static void list_choices(const struct option_row *row, const char *between,
                         char *text, size_t size)
{
    size_t used = 0;

    for ( const struct option_choice *one = row->choices; one->word; one++ )
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 used ? between : "", one->word);
}

static int set_word(const struct option_row *row, unsigned int *member,
                    const char *value, struct failure *failure)
{
    const struct option_choice *choice = find_choice(row, value, strlen(value));
    char known[128];

    if ( choice )
    {
        *member = choice->value;
        return 0;
    }
    list_choices(row, " or ", known, sizeof(known));
    return fail(failure, STATUS_RANGE, "unknown %s '%s': use %s",
                row->shown.name, value, known);
}

static int set_words(const struct option_row *row, unsigned int *member,
                     const char *value, struct failure *failure)
{
    unsigned int chosen = 0;
    char known[128];

    for ( const char *at = value; strcmp(value, "none"); at++ )
    {
        size_t length = strcspn(at, ",");
        const struct option_choice *choice = find_choice(row, at, length);

        if ( !choice )
        {
            list_choices(row, ", ", known, sizeof(known));
            return fail(failure, STATUS_RANGE,
                        "--%s=%s: use none, or a list of %s joined by commas",
                        row->shown.name, value, known);
        }
        chosen |= choice->value;
        at += length;
        if ( *at == '\0' )
            break;
    }
    *member = chosen;
    return 0;
}

static int set_text_option(const struct option_row *row, char *member,
                           const char *value, struct failure *failure)
{
    if ( row->type == VALUE_PATH && *value != '/' )
        return fail(failure, STATUS_USAGE,
                    "--%s=%s must begin with '/': the daemon has another "
                    "working directory",
                    row->shown.name, value);
    if ( *value == '\0' )
        return fail(failure, STATUS_USAGE, "--%s needs a value",
                    row->shown.name);
    if ( strlen(value) >= row->size )
        return fail(failure, STATUS_RANGE, "--%s is longer than %zu bytes",
                    row->shown.name, row->size - 1);
    strcpy(member, value);
    return 0;
}

static int set_pcpus(const struct option_row *row, struct number_set *member,
                     const char *value, struct failure *failure)
{
    if ( number_set_parse(value, NUMBER_SET_MAX, member) )
        return 0;
    return fail(failure, STATUS_RANGE,
                "--%s=%s is not a list of pCPUs from 0 to %u; write it as "
                "0-3,7",
                row->shown.name, value, NUMBER_SET_MAX - 1);
}

int option_set(const struct option_row *row, void *member, const char *value,
               struct failure *failure)
{
    switch ( row->type )
    {
    case VALUE_FLAG: return set_flag(row, member, value, failure);
    case VALUE_NUMBER: return set_number(row, member, value, failure);
    case VALUE_POWER_OF_TWO:
        return set_power_of_two(row, member, value, failure);
    case VALUE_DURATION: return set_duration(row, member, value, failure);
    case VALUE_WORD: return set_word(row, member, value, failure);
    case VALUE_WORDS: return set_words(row, member, value, failure);
    case VALUE_TEXT:
    case VALUE_PATH: return set_text_option(row, member, value, failure);
    case VALUE_NUMBER_SET: return set_pcpus(row, member, value, failure);
    case VALUE_DOMAINS:
        return asked_domains_add(member, row->role, value, failure);
    case VALUE_PAIRS:
        return row->add_pair(member, row->shown.name, value, failure);
    }
    return 0;
}

static void put_words(const struct option_row *row, unsigned int chosen,
                      FILE *file)
{
    char text[128];
    size_t used = 0;

    strcpy(text, "none");
    for ( const struct option_choice *one = row->choices; one->word; one++ )
        if ( chosen & one->value )
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
                                     used ? "," : "", one->word);
    line_text(file, row->shown.name, text);
}

static void put_option_number(const struct option_row *row, unsigned int number,
                              FILE *file)
{
    if ( number == row->usual && !row->always )
        return;
    if ( row->type == VALUE_WORDS )
        put_words(row, number, file);
    else if ( row->type != VALUE_WORD )
        line_number(file, row->shown.name, number);
    else
        for ( const struct option_choice *one = row->choices; one->word; one++ )
            if ( one->value == number )
                line_text(file, row->shown.name, one->word);
}

static void put_pcpus(const struct option_row *row,
                      const struct number_set *pcpus, FILE *file)
{
    char text[LINE_MAX_BYTES / 4];

    if ( !number_set_empty(pcpus) &&
         number_set_format(pcpus, text, sizeof(text)) )
        line_text(file, row->shown.name, text);
}

static void put_domains(const struct option_row *row,
                        const struct asked_domains *domains, FILE *file)
{
    char *text SCOPE_FREE = asked_domains_text(domains, row->role);

    if ( text && *text )
        line_text(file, row->shown.name, text);
}

void option_put(const struct option_row *row, const void *member, FILE *file)
{
    switch ( row->type )
    {
    case VALUE_TEXT:
    case VALUE_PATH:
        if ( strcmp(member, row->usual_text ? row->usual_text : "") )
            line_text(file, row->shown.name, member);
        break;
    case VALUE_NUMBER_SET: put_pcpus(row, member, file); break;
    case VALUE_DOMAINS: put_domains(row, member, file); break;
    case VALUE_PAIRS: domain_pairs_put(member, row->shown.name, file); break;
    default: put_option_number(row, *(const unsigned int *)member, file); break;
    }
}
