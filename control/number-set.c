/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decimal numbers and lists of ranges, parsed strictly. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "number-set.h"

/* Reads the digits at *at and moves *at behind them.  Returns false if there
 * are none, or the number is above high. */
static bool take_set_number(const char **at, uint64_t high, uint64_t *ret)
{
    uint64_t number = 0;

    if ( !isdigit((unsigned char)**at) )
        return false;
    for ( ; isdigit((unsigned char)**at); (*at)++ )
    {
        uint64_t digit = (uint64_t)(**at - '0');

        if ( number > (UINT64_MAX - digit) / 10 )
            return false;
        number = number * 10 + digit;
    }
    *ret = number;
    return number <= high;
}

bool number_parse(const char *text, uint64_t low, uint64_t high, uint64_t *ret)
{
    const char *at = text;

    return take_set_number(&at, high, ret) && *at == '\0' && *ret >= low;
}

bool number_set_parse(const char *text, unsigned int limit,
                      struct number_set *ret)
{
    const char *at = text;

    memset(ret, 0, sizeof(*ret));
    if ( limit == 0 || limit > NUMBER_SET_MAX )
        return false;
    for ( ;; )
    {
        uint64_t first, last;

        if ( !take_set_number(&at, limit - 1, &first) )
            return false;
        last = first;
        if ( *at == '-' && (at++, !take_set_number(&at, limit - 1, &last)) )
            return false;
        if ( last < first )
            return false;
        for ( uint64_t number = first; number <= last; number++ )
            number_set_add(ret, (unsigned int)number);
        if ( *at == '\0' )
            return true;
        if ( *at++ != ',' )
            return false;
    }
}

bool number_set_has(const struct number_set *set, unsigned int number)
{
    return number < NUMBER_SET_MAX &&
           (set->bits[number / 64] >> (number % 64) & 1);
}

void number_set_add(struct number_set *set, unsigned int number)
{
    set->bits[number / 64] |= 1ull << (number % 64);
}

bool number_set_empty(const struct number_set *set)
{
    for ( unsigned int i = 0; i < NUMBER_SET_MAX / 64; i++ )
        if ( set->bits[i] )
            return false;
    return true;
}

bool number_set_format(const struct number_set *set, char *text, size_t size)
{
    size_t used = 0;

    if ( size == 0 )
        return false;
    text[0] = '\0';
    for ( unsigned int first = 0; first < NUMBER_SET_MAX; first++ )
    {
        unsigned int last = first;
        int length;

        if ( !number_set_has(set, first) )
            continue;
        while ( number_set_has(set, last + 1) )
            last++;
        length = first == last ? snprintf(text + used, size - used, "%s%u",
                                          used ? "," : "", first)
                               : snprintf(text + used, size - used, "%s%u-%u",
                                          used ? "," : "", first, last);
        if ( (size_t)length >= size - used )
            return false;
        used += (size_t)length;
        first = last;
    }
    return true;
}
