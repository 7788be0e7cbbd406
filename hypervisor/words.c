/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parser of command lines, and its tables.
 */
#include <xenoprof/door.h>
#include <xenoprof/fetch.h>

#include "domains.h"
#include "queue.h"
#include "message.h"
#include "windows.h"
#include "words.h"

#define NUMBER_MAX  1000000000000000000ul
#define UUID_DIGITS 32

#define BIT(key) (1u << (key))

struct choice {
    const char *name;
    uint64_t value;
};

static const struct choice samplers[] = {
    {"nmi", XENOPROF_SAMPLER_NMI},
    {"timer", XENOPROF_SAMPLER_TIMER},
    {"pmu", XENOPROF_SAMPLER_PMU},
    {NULL, 0},
};

static const struct choice kinds[] = {
    {"passive", DOMAIN_PASSIVE},
    {"active", DOMAIN_ACTIVE},
    {NULL, 0},
};

static const struct choice ibs_units[] = {
    {"fetch", XENOPROF_IBS_FETCH},
    {"op", XENOPROF_IBS_OP},
    {NULL, 0},
};

enum key_type { TYPE_NUMBER, TYPE_HEX, TYPE_CHOICE, TYPE_UUID, TYPE_TEXT };

static const struct key_form {
    const char *name;
    enum key_type type;
    uint64_t min, max;
    const struct choice *choices;
} keys[KEYS] = {
    [KEY_SAMPLER] = {"sampler", TYPE_CHOICE, 0, 0, samplers},
    [KEY_FREQUENCY] = {"frequency", TYPE_NUMBER, 1, XENOPROF_FREQUENCY_MAX,
                       NULL},
    [KEY_MASK] = {"mask", TYPE_NUMBER, 0, XENOPROF_PARTS_ALL, NULL},
    [KEY_PAGES] = {"pages", TYPE_NUMBER, XENOPROF_DATA_PAGES_MIN,
                   XENOPROF_DATA_PAGES_MAX, NULL},
    [KEY_QUEUE] = {"queue", TYPE_NUMBER, 0, QUEUE_DEPTH_MAX, NULL},
    [KEY_LEASE] = {"lease", TYPE_NUMBER, 0, 86400, NULL},
    [KEY_BUDGET] = {"budget", TYPE_NUMBER, 0, 1000, NULL},
    [KEY_INSIST] = {"insist", TYPE_NUMBER, 0, 1, NULL},
    [KEY_WINDOW] = {"window", TYPE_NUMBER, 0, WINDOW_BYTES_MAX, NULL},
    [KEY_USER_WINDOW] = {"user-window", TYPE_NUMBER, 0, WINDOW_USER_MAX, NULL},
    [KEY_WAITING] = {"waiting", TYPE_NUMBER, 0, 1, NULL},
    [KEY_FATAL] = {"fatal", TYPE_NUMBER, 0, 1, NULL},
    [KEY_SET] = {"set", TYPE_TEXT, 0, 0, NULL},
    [KEY_ID] = {"id", TYPE_NUMBER, 0, DOMAIN_ID_MAX, NULL},
    [KEY_VCPUS] = {"vcpus", TYPE_NUMBER, 1, XENOPROF_RINGS_MAX, NULL},
    [KEY_UUID] = {"uuid", TYPE_UUID, 0, 0, NULL},
    [KEY_KIND] = {"kind", TYPE_CHOICE, 0, 0, kinds},
    [KEY_AT] = {"at", TYPE_TEXT, 0, 0, NULL},
    [KEY_USER] = {"user", TYPE_NUMBER, 0, WINDOW_LINK_MAX, NULL},
    [KEY_RING] = {"ring", TYPE_NUMBER, 0, XENOPROF_RINGS_MAX - 1, NULL},
    [KEY_LIST] = {"list", TYPE_NUMBER, 1, XENOPROF_FETCH_LISTS, NULL},
    [KEY_STEPS] = {"steps", TYPE_TEXT, 0, 0, NULL},
    [KEY_BASES] = {"bases", TYPE_TEXT, 0, 0, NULL},
    [KEY_ISOLATED] = {"isolated", TYPE_NUMBER, 0, 1, NULL},
    [KEY_SELECT] = {"select", TYPE_HEX, 0, 0, NULL},
    [KEY_COUNT] = {"count", TYPE_NUMBER, 0, XENOPROF_EVENT_COUNT_MAX, NULL},
    [KEY_FIXED] = {"fixed", TYPE_NUMBER, 0, XENOPROF_EVENT_FIXED_MAX - 1, NULL},
    [KEY_IBS] = {"ibs", TYPE_CHOICE, 0, 0, ibs_units},
};

static const struct word_form {
    const char *name;
    uint32_t needed;
    uint32_t optional;
} forms[WORDS] = {
    [WORD_RESERVE] = {"reserve",
                      BIT(KEY_SAMPLER) | BIT(KEY_FREQUENCY) | BIT(KEY_MASK) |
                          BIT(KEY_PAGES) | BIT(KEY_QUEUE) | BIT(KEY_LEASE) |
                          BIT(KEY_BUDGET),
                      BIT(KEY_INSIST) | BIT(KEY_WINDOW) | BIT(KEY_USER_WINDOW) |
                          BIT(KEY_WAITING) | BIT(KEY_FATAL)},
    [WORD_PCPUS] = {"pcpus", BIT(KEY_SET), 0},
    [WORD_DOMAIN] = {"domain",
                     BIT(KEY_ID) | BIT(KEY_VCPUS) | BIT(KEY_UUID) |
                         BIT(KEY_KIND),
                     0},
    [WORD_LINK] = {"link", BIT(KEY_ID) | BIT(KEY_AT), BIT(KEY_USER)},
    [WORD_FETCH] = {"fetch", BIT(KEY_ID),
                    BIT(KEY_LIST) | BIT(KEY_STEPS) | BIT(KEY_BASES) |
                        BIT(KEY_ISOLATED)},
    [WORD_FORGET] = {"forget", BIT(KEY_ID), 0},
    [WORD_RELEASE] = {"release", BIT(KEY_RING), 0},
    [WORD_EVENT] = {"event", BIT(KEY_ID) | BIT(KEY_SELECT) | BIT(KEY_COUNT),
                    BIT(KEY_FIXED) | BIT(KEY_IBS) | BIT(KEY_SET) |
                        BIT(KEY_INSIST)},
    [WORD_START] = {"start", 0, 0},
    [WORD_STOP] = {"stop", 0, 0},
    [WORD_RESET] = {"reset", 0, 0},
};

static bool ends(char c)
{
    return !c || c == ' ' || c == '\n';
}

bool words_end(const char *text)
{
    return ends(*text);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* name stands at *text, with an equals sign or an end after it: go past. */
static bool pass_name(const char **text, const char *name, bool is_key)
{
    const char *at = *text;

    while ( *name && *at == *name )
        at++, name++;
    if ( *name || !(is_key ? *at == '=' : ends(*at)) )
        return false;
    *text = at;
    return true;
}

static bool read_digits(const char **text, uint64_t *ret)
{
    const char *at = *text;
    uint64_t number = 0;

    if ( !is_digit(*at) )
        return false;
    while ( is_digit(*at) )
    {
        number = number * 10 + (*at++ - '0');
        if ( number > NUMBER_MAX )
            return false;
    }
    *text = at;
    *ret = number;
    return true;
}

static int hex_digit(char c)
{
    if ( is_digit(c) )
        return c - '0';
    if ( c >= 'a' && c <= 'f' )
        return c - 'a' + 10;
    if ( c >= 'A' && c <= 'F' )
        return c - 'A' + 10;
    return -1;
}

static bool read_hex(const char **text, uint64_t *ret)
{
    const char *at = *text;

    for ( *ret = 0; hex_digit(*at) >= 0; at++ )
    {
        if ( *ret >> 60 )
            return false;
        *ret = *ret << 4 | hex_digit(*at);
    }
    if ( at == *text )
        return false;
    *text = at;
    return true;
}

bool words_number(const char **text, unsigned int radix, uint64_t *ret)
{
    return radix == 16 ? read_hex(text, ret) : read_digits(text, ret);
}

static const char *past_dashes(const char *text)
{
    while ( *text == '-' )
        text++;
    return text;
}

static bool skip_uuid(const char **text)
{
    const char *at = past_dashes(*text);

    for ( int digits = 0; digits < UUID_DIGITS; digits++ )
    {
        if ( hex_digit(*at) < 0 )
            return false;
        at = past_dashes(at + 1);
    }
    *text = at;
    return true;
}

void words_uuid(const char *text, uint8_t uuid[16])
{
    for ( int byte = 0; byte < UUID_DIGITS / 2; byte++ )
    {
        text = past_dashes(text);
        uuid[byte] = hex_digit(*text) << 4;
        text = past_dashes(text + 1);
        uuid[byte] |= hex_digit(*text);
        text++;
    }
}

static int parse_number(const char **text, const struct key_form *form,
                        uint64_t *ret)
{
    if ( !read_digits(text, ret) || !ends(**text) )
        return refuse(ERROR_INVALID, "%s= takes a decimal number", form->name);
    if ( *ret < form->min || *ret > form->max )
        return refuse(ERROR_RANGE, "%s=%lu is not between %lu and %lu",
                      form->name, *ret, form->min, form->max);
    return 0;
}

static int refuse_choice(const struct key_form *form)
{
    char names[64];
    struct text text;

    text_begin(&text, names, sizeof(names));
    for ( const struct choice *one = form->choices; one->name; one++ )
        text_add(&text, "%s%s",
                 one == form->choices ? ""
                 : one[1].name        ? ", "
                                      : " or ",
                 one->name);
    return refuse(ERROR_INVALID, "%s= must be %s", form->name, names);
}

static int parse_choice(const char **text, const struct key_form *form,
                        uint64_t *ret)
{
    for ( const struct choice *one = form->choices; one->name; one++ )
        if ( pass_name(text, one->name, false) )
        {
            *ret = one->value;
            return 0;
        }
    return refuse_choice(form);
}

static int parse_value(const char **text, enum key key, struct words *ret)
{
    const struct key_form *form = &keys[key];

    ret->text[key] = *text;
    switch ( form->type )
    {
    case TYPE_NUMBER: return parse_number(text, form, &ret->value[key]);
    case TYPE_HEX:
        if ( !read_hex(text, &ret->value[key]) || !ends(**text) )
            return refuse(ERROR_INVALID, "%s= takes a hexadecimal number",
                          form->name);
        return 0;
    case TYPE_CHOICE: return parse_choice(text, form, &ret->value[key]);
    case TYPE_UUID:
        if ( !skip_uuid(text) || !ends(**text) )
            return refuse(ERROR_INVALID, "%s= takes %u hexadecimal digits",
                          form->name, UUID_DIGITS);
        return 0;
    case TYPE_TEXT:
        while ( !ends(**text) )
            ++*text;
        return 0;
    }
    return 0;
}

static const char *past_blanks(const char *text)
{
    while ( *text == ' ' || *text == '\n' )
        text++;
    return text;
}

static int refuse_key(const char *text, const struct word_form *form)
{
    char name[24];
    unsigned int length = 0;

    while ( length + 1 < sizeof(name) && !ends(text[length]) &&
            text[length] != '=' )
    {
        /* Printable ASCII only: this goes to somebody's terminal. */
        bool plain = text[length] > ' ' && text[length] < 0x7f;

        name[length] = plain ? text[length] : '?';
        length++;
    }
    name[length] = 0;
    return refuse(ERROR_INVALID, "'%s' is not a KEY=VALUE that %s takes", name,
                  form->name);
}

static int parse_key(const char **text, const struct word_form *form,
                     struct words *ret)
{
    uint32_t allowed = form->needed | form->optional;

    for ( unsigned int key = 0; key < KEYS; key++ )
    {
        if ( !(allowed & BIT(key)) || !pass_name(text, keys[key].name, true) )
            continue;
        if ( ret->given & BIT(key) )
            return refuse(ERROR_INVALID, "%s= is given twice", keys[key].name);
        ret->given |= BIT(key);
        ++*text;
        return parse_value(text, key, ret);
    }
    return refuse_key(*text, form);
}

static int parse_keys(const char *text, struct words *ret)
{
    const struct word_form *form = &forms[ret->word];

    for ( text = past_blanks(text); *text; text = past_blanks(text) )
    {
        int error = parse_key(&text, form, ret);

        if ( error )
            return error;
    }
    for ( unsigned int key = 0; key < KEYS; key++ )
        if ( form->needed & BIT(key) & ~ret->given )
            return refuse(ERROR_INVALID, "%s needs %s=", form->name,
                          keys[key].name);
    return 0;
}

int words_parse(const char *line, struct words *ret)
{
    memset(ret, 0, sizeof(*ret));
    line = past_blanks(line);
    for ( unsigned int word = 0; word < WORDS; word++ )
    {
        ret->word = word;
        if ( pass_name(&line, forms[word].name, false) )
            return parse_keys(line, ret);
    }
    return refuse(ERROR_INVALID, "no such command");
}

int words_next_range(const char **text, uint64_t *first, uint64_t *last)
{
    if ( ends(**text) )
        return 0;
    if ( !read_digits(text, first) )
        return -1;
    *last = *first;
    if ( **text == '-' )
    {
        ++*text;
        if ( !read_digits(text, last) || *last < *first )
            return -1;
    }
    if ( **text == ',' && is_digit((*text)[1]) )
        ++*text;
    else if ( !ends(**text) )
        return -1;
    return 1;
}
