/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Digit by digit, the lowest first, each time into as many heaps as there are
 * digits, which keeps the order that lower digits made. */
#include "sort-rows.h"

#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS 11u
#define DIGITS     (1u << DIGIT_BITS)

struct digit {
    unsigned int width; /* of a row, in words */
    unsigned int word;  /* that has the digit */
    unsigned int shift; /* where in the word */
};

static size_t row_digit(const struct digit *digit, const uint32_t *row)
{
    return row[digit->word] >> digit->shift & (DIGITS - 1);
}

static void sort_by(const struct digit *digit, const uint32_t *from,
                    uint32_t *to, size_t count)
{
    size_t starts[DIGITS] = {0}, start = 0;

    for ( size_t i = 0; i < count; i++ )
        starts[row_digit(digit, from + i * digit->width)]++;
    for ( size_t i = 0; i < DIGITS; i++ )
    {
        size_t next = start + starts[i];

        starts[i] = start;
        start = next;
    }
    for ( size_t i = 0; i < count; i++, from += digit->width )
    {
        uint32_t *row = to + starts[row_digit(digit, from)]++ * digit->width;

        for ( unsigned int word = 0; word < digit->width; word++ )
            row[word] = from[word];
    }
}

/* The bits of a word that are not the same in all rows. */
static uint32_t bits_that_differ(const uint32_t *rows, size_t count,
                                 unsigned int width, unsigned int word)
{
    uint32_t differ = 0;

    for ( size_t i = 1; i < count; i++ )
        differ |= rows[i * width + word] ^ rows[word];
    return differ;
}

bool sort_rows(uint32_t *rows, size_t count, unsigned int width,
               unsigned int words)
{
    uint32_t *spare = calloc(count + 1, width * sizeof(*rows));
    uint32_t *from = rows, *to = spare, *other;

    if ( !spare )
        return false;
    for ( unsigned int word = words; word-- > 0; )
    {
        const uint32_t differ = bits_that_differ(from, count, width, word);
        struct digit digit = {width, word, 0};

        for ( ; digit.shift < 32; digit.shift += DIGIT_BITS )
        {
            if ( !(differ >> digit.shift & (DIGITS - 1)) )
                continue;
            sort_by(&digit, from, to, count);
            other = from;
            from = to;
            to = other;
        }
    }
    if ( from != rows )
        memcpy(rows, from, count * width * sizeof(*rows));
    free(spare);
    return true;
}
