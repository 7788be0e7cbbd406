/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Digit by digit, the lowest first, each time into as many heaps as there are
 * digits, which keeps the order that lower digits made. */
#include "sort-rows.h"

#include <stdlib.h>
#include <string.h>

#define DIGITS 2048u
/* The heaps of few rows are to take no more time than these. */
#define FEW       4096u
#define DIGIT_FEW 8u
#define DIGIT_ALL 11u
/* Fewer are quicker put in order one by one. */
#define ROWS_FROM 32u

struct digit {
    unsigned int width; /* of a row, in words */
    unsigned int word;  /* that has the digit */
    unsigned int shift; /* where in the word */
    unsigned int bits;
};

static size_t row_digit(const struct digit *digit, const uint32_t *row)
{
    return row[digit->word] >> digit->shift & ((1u << digit->bits) - 1);
}

static void sort_by(const struct digit *digit, const uint32_t *from,
                    uint32_t *to, size_t count)
{
    size_t starts[DIGITS], start = 0;

    memset(starts, 0, sizeof(*starts) << digit->bits);
    for ( size_t i = 0; i < count; i++ )
        starts[row_digit(digit, from + i * digit->width)]++;
    for ( size_t i = 0; i < 1u << digit->bits; i++ )
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

static bool comes_before(const uint32_t *row, const uint32_t *other,
                         unsigned int words)
{
    for ( unsigned int i = 0; i < words; i++ )
        if ( row[i] != other[i] )
            return row[i] < other[i];
    return false;
}

static void sort_few(uint32_t *rows, size_t count, unsigned int width,
                     unsigned int words)
{
    for ( size_t i = 1; i < count; i++ )
        for ( uint32_t *row = rows + i * width;
              row > rows && comes_before(row, row - width, words);
              row -= width )
            for ( unsigned int word = 0; word < width; word++ )
            {
                uint32_t other = row[word];

                row[word] = row[(ptrdiff_t)word - (ptrdiff_t)width];
                row[(ptrdiff_t)word - (ptrdiff_t)width] = other;
            }
}

static bool is_sorted(const uint32_t *rows, size_t count, unsigned int width,
                      unsigned int words)
{
    for ( size_t i = 1; i < count; i++ )
        if ( comes_before(rows + i * width, rows + (i - 1) * width, words) )
            return false;
    return true;
}

void sort_rows_with(uint32_t *rows, uint32_t *spare, size_t count,
                    unsigned int width, unsigned int words)
{
    uint32_t *from = rows, *to = spare, *other;

    if ( count < ROWS_FROM )
    {
        sort_few(rows, count, width, words);
        return;
    }
    for ( unsigned int word = words; word-- > 0; )
    {
        const uint32_t differ = bits_that_differ(from, count, width, word);
        struct digit digit = {.width = width,
                              .word = word,
                              .bits = count < FEW ? DIGIT_FEW : DIGIT_ALL};

        for ( ; digit.shift < 32; digit.shift += digit.bits )
        {
            if ( !(differ >> digit.shift & ((1u << digit.bits) - 1)) )
                continue;
            sort_by(&digit, from, to, count);
            other = from;
            from = to;
            to = other;
        }
    }
    if ( from != rows )
        memcpy(rows, from, count * width * sizeof(*rows));
}

bool sort_rows(uint32_t *rows, size_t count, unsigned int width,
               unsigned int words)
{
    uint32_t *spare = NULL;

    if ( is_sorted(rows, count, width, words) )
        return true;
    if ( count >= ROWS_FROM )
    {
        spare = reallocarray(NULL, count, width * sizeof(*rows));
        if ( !spare )
            return false;
    }
    sort_rows_with(rows, spare, count, width, words);
    free(spare);
    return true;
}
