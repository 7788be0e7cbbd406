/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "duration.h"

#include <ctype.h>
#include <string.h>

static const struct {
    char letter;
    uint64_t seconds;
} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 24 * 3600}};

/* The seconds that a unit has; 0 if the text is not one. */
static uint64_t unit_seconds(const char *text)
{
    if ( !*text )
        return 1;
    for ( size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++ )
        if ( text[0] == units[i].letter && !text[1] )
            return units[i].seconds;
    return 0;
}

bool duration_parse(const char *text, uint64_t max, uint64_t *ret)
{
    uint64_t number = 0, unit;

    if ( !isdigit((unsigned char)*text) )
        return false;
    for ( ; isdigit((unsigned char)*text); text++ )
    {
        uint64_t digit = (uint64_t)(*text - '0');

        if ( number > (max - digit) / 10 || digit > max )
            return false;
        number = number * 10 + digit;
    }
    unit = unit_seconds(text);
    if ( !number || !unit || number > max / unit )
        return false;
    *ret = number * unit;
    return true;
}
