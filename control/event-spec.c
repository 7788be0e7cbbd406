/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event-spec.h"

struct spec_field {
    const char *at;
    size_t length;
};

/* Takes what stands before the next colon, comma or end. */
static bool next_field(const char **text, struct spec_field *ret)
{
    const char *at = *text;

    ret->at = at;
    ret->length = strcspn(at, ":,");
    at += ret->length;
    *text = *at == ':' ? at + 1 : at;
    return ret->length != 0;
}

static bool read_count(const struct spec_field *field, uint64_t *ret)
{
    *ret = 0;
    for ( size_t i = 0; i < field->length; i++ )
    {
        if ( field->at[i] < '0' || field->at[i] > '9' )
            return false;
        *ret = *ret * 10 + (uint64_t)(field->at[i] - '0');
        if ( *ret > UINT32_MAX )
            *ret = UINT32_MAX;
    }
    return true;
}

/* Oprofile's numbers may be written as in C: at most a byte. */
static bool read_byte(const struct spec_field *field, uint64_t *ret)
{
    char digits[8], *end;

    if ( !field->length || field->length >= sizeof(digits) )
        return false;
    memcpy(digits, field->at, field->length);
    digits[field->length] = '\0';
    *ret = strtoull(digits, &end, strncmp(digits, "0x", 2) ? 10 : 16);
    return *digits >= '0' && *digits <= '9' && !*end && *ret <= UINT8_MAX;
}

/* TABLE::NAME is one field. */
static void join_table(const char **text, struct spec_field *field)
{
    struct spec_field name;

    if ( (*text)[-1] != ':' || **text != ':' ||
         ((*text)[1] >= '0' && (*text)[1] <= '9') )
        return;
    ++*text;
    next_field(text, &name);
    field->length = (size_t)(name.at + name.length - field->at);
}

static bool append_field(char *text, const struct spec_field *field)
{
    size_t used = strlen(text);

    if ( used + field->length + 2 > EVENT_NAME_MAX )
        return false;
    snprintf(text + used, EVENT_NAME_MAX - used, "%s%.*s", used ? ":" : "",
             (int)field->length, field->at);
    return true;
}

/* A field that says where to count; else it is part of the name. */
static bool take_modifier(const struct spec_field *field,
                          struct event_spec *ret)
{
    bool *const flags[] = {&ret->kernel, &ret->user, &ret->guest, &ret->host};
    static const char *const words[] = {"k", "u", "guest", "host"};

    for ( size_t i = 0; i < 4; i++ )
        if ( strlen(words[i]) == field->length &&
             strncmp(field->at, words[i], field->length) == 0 )
            return *flags[i] = true;
    return false;
}

/* UNITMASK:KERNEL:USER, each of which may be missing. */
static bool take_oprofile(const char **text, struct event_spec *ret)
{
    uint64_t number[3] = {0, 1, 1};
    struct spec_field field;
    char mask[8];

    for ( size_t i = 0; i < 3 && **text && **text != ','; i++ )
        if ( !next_field(text, &field) || !read_byte(&field, &number[i]) )
            return false;
    if ( number[1] > 1 || number[2] > 1 || number[1] + number[2] == 0 )
        return false;
    ret->unit_mask = (uint8_t)number[0];
    /* Two events may differ in their unit masks alone. */
    field.at = mask;
    field.length = (size_t)snprintf(mask, sizeof(mask), "0x%x", ret->unit_mask);
    if ( ret->unit_mask && !append_field(ret->name, &field) )
        return false;
    ret->kernel |= number[1] && !number[2];
    ret->user |= number[2] && !number[1];
    return true;
}

bool event_spec_read(const char **text, struct event_spec *ret)
{
    const char *begin = *text;
    uint64_t count = 0;
    struct spec_field field;

    *ret = (struct event_spec){.count = 0};
    while ( **text && **text != ',' )
    {
        if ( !next_field(text, &field) )
            return false;
        if ( !ret->base[0] )
            join_table(text, &field);
        if ( read_count(&field, &count) )
        {
            if ( !take_oprofile(text, ret) )
                return false;
            break;
        }
        if ( !append_field(ret->name, &field) ||
             (!take_modifier(&field, ret) && !append_field(ret->base, &field)) )
            return false;
    }
    if ( (**text && **text != ',') || *text == begin || (*text)[-1] == ':' )
        return false;
    if ( !ret->kernel && !ret->user )
        ret->kernel = ret->user = true;
    ret->count = (uint32_t)count;
    return ret->base[0];
}

bool event_spec_next(const char **text, struct event_spec *ret)
{
    if ( **text == ',' )
        ++*text;
    return **text && event_spec_read(text, ret);
}
