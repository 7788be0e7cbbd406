/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of the control protocol, written and read. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "number-set.h"
#include "protocol.h"

const char *control_path(void)
{
    const char *path = getenv("XENOPROF_CONTROL");

    return path && *path ? path : CONTROL_PATH;
}

void line_begin(FILE *file, const char *word)
{
    fputs(word, file);
}

void line_text(FILE *file, const char *key, const char *value)
{
    fprintf(file, " %s=", key);
    for ( const unsigned char *at = (const unsigned char *)value; *at; at++ )
        if ( *at <= ' ' || *at >= 0x7f || *at == '%' )
            fprintf(file, "%%%02X", *at);
        else
            fputc(*at, file);
}

void line_number(FILE *file, const char *key, uint64_t value)
{
    fprintf(file, " %s=%" PRIu64, key, value);
}

void line_end(FILE *file)
{
    fputc('\n', file);
}

bool line_is(const char *line, const char *word)
{
    size_t length = strlen(word);

    return strncmp(line, word, length) == 0 &&
           (line[length] == '\0' || line[length] == ' ');
}

static int hex_digit(char digit)
{
    if ( digit >= '0' && digit <= '9' )
        return digit - '0';
    if ( digit >= 'A' && digit <= 'F' )
        return digit - 'A' + 10;
    return -1;
}

/* Returns the next byte of an encoded value and moves *at behind it, or -1. */
static int decode_byte(const char **at)
{
    int high, low;

    if ( **at != '%' )
        return (unsigned char)*(*at)++;
    high = hex_digit((*at)[1]);
    low = high < 0 ? -1 : hex_digit((*at)[2]);
    /* %00 would cut the text. */
    if ( low < 0 || (high == 0 && low == 0) )
        return -1;
    *at += 3;
    return high << 4 | low;
}

static bool take_value(const char **at, char *value, size_t size)
{
    size_t used = 0;

    while ( **at && **at != ' ' )
    {
        int byte = decode_byte(at);

        if ( byte < 0 || used + 1 >= size )
            return false;
        value[used++] = (char)byte;
    }
    value[used] = '\0';
    return size > 0;
}

static bool take_key(const char **at, char *key, size_t size)
{
    size_t used = 0;

    while ( islower((unsigned char)**at) || isdigit((unsigned char)**at) ||
            **at == '-' || **at == '_' )
    {
        if ( used + 1 >= size )
            return false;
        key[used++] = *(*at)++;
    }
    key[used] = '\0';
    return used > 0 && **at == '=';
}

bool line_next(const char **at, char *key, size_t key_size, char *value,
               size_t value_size)
{
    const char *field = *at + strcspn(*at, " ");

    *at = field;
    if ( *field == '\0' )
        return false;
    field++;
    if ( !take_key(&field, key, key_size) )
        return false;
    field++;
    if ( !take_value(&field, value, value_size) )
        return false;
    *at = field;
    return true;
}

bool line_get_text(const char *line, const char *key, char *value, size_t size)
{
    size_t length = strlen(key);

    for ( const char *at = strchr(line, ' '); at; at = strchr(at, ' ') )
    {
        at++;
        if ( strncmp(at, key, length) || at[length] != '=' )
            continue;
        at += length + 1;
        return take_value(&at, value, size);
    }
    return false;
}

uint64_t line_get_number(const char *line, const char *key)
{
    char text[24];
    uint64_t number;

    if ( !line_get_text(line, key, text, sizeof(text)) ||
         !number_parse(text, 0, UINT64_MAX, &number) )
        return 0;
    return number;
}
