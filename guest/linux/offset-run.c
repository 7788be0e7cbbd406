/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures a run of sorted numbers, in steps that read little of it. */
#include "offset-run.h"

#include <string.h>

#define VALUES 16
#define CHUNK  16384u /* values read at once: 64 KiB */
#define LEAP   CHUNK

/* Makes *key of a value: a number that never falls along a table of this
 * encoding. */
static bool key_of_offset(enum offset_encoding encoding, uint32_t value,
                          int64_t i, int64_t *key)
{
    const int64_t limit = 1ll << 30;

    if ( encoding == OFFSET_FROM_BASE )
        *key = value;
    else if ( encoding == OFFSET_FROM_SELF )
        *key = (int32_t)value + 4 * i;
    else if ( (int32_t)value < 0 )
        *key = limit - 1 - (int32_t)value;
    else
        *key = value < (1u << 28) ? (int64_t)value : -1;
    switch ( encoding )
    {
    case OFFSET_PER_CPU: return *key >= 0 && *key < 2 * limit;
    case OFFSET_FROM_SELF: return *key > -limit && *key < limit;
    default: return *key < limit;
    }
}

bool offsets_may_be(enum offset_encoding encoding, const uint32_t *values)
{
    int64_t first = 0, last = 0, key;
    int i, equal = 0;

    for ( i = 0; i < VALUES; i++ )
    {
        equal += i && values[i] == values[i - 1];
        if ( !key_of_offset(encoding, values[i], i, &key) || (i && key < last) )
            return false;
        first = i ? first : key;
        last = key;
    }
    return equal < VALUES / 2 && last - first < (1 << 20);
}

/* The same number again and again would pass as symbols that are 4 bytes
 * apart, which no table has.  (In the other encodings equal numbers are
 * symbols at one address: there are thousands.) */
static bool is_filler(enum offset_encoding encoding, const uint32_t *values,
                      uint32_t count)
{
    uint32_t i, equal = 0;

    for ( i = 1; i < count; i++ )
        equal += values[i] == values[i - 1];
    return encoding == OFFSET_FROM_SELF && count >= VALUES &&
           equal > count - count / 4;
}

/* Returns how many of count values, the first of which is number index, go on
 * upwards from key *last. */
static uint32_t count_rising(enum offset_encoding encoding,
                             const uint32_t *values, uint32_t count,
                             int64_t index, int64_t *last)
{
    uint32_t i;
    int64_t key;

    for ( i = 0; i < count; i++, *last = key )
        if ( !key_of_offset(encoding, values[i], index + i, &key) ||
             key < *last )
            break;
    return i;
}

/* The same downwards; number index is the last value's. */
static uint32_t precede(enum offset_encoding encoding, const uint32_t *values,
                        uint32_t count, int64_t index, int64_t *last)
{
    uint32_t i;
    int64_t key;

    for ( i = 0; i < count; i++, *last = key )
        if ( !key_of_offset(encoding, values[count - 1 - i], index - i, &key) ||
             key > *last )
            break;
    return i;
}

/* Returns how many values go on, judged by a few of each LEAP.  What lies
 * between is read, and checked, only if all else fits. */
static uint32_t leap(struct guest_memory *memory, uint64_t address,
                     enum offset_encoding encoding)
{
    uint32_t values[VALUES], at;
    int64_t last = INT64_MIN;

    for ( at = 0; at <= OFFSETS_MAX; at += LEAP )
        if ( !guest_memory_get(memory, address + 4ull * at, values,
                               sizeof(values)) ||
             count_rising(encoding, values, VALUES, at, &last) < VALUES ||
             is_filler(encoding, values, VALUES) )
            break;
    return at ? at - LEAP : 0;
}

static uint64_t measure_up(struct guest_memory *memory, uint64_t address,
                           enum offset_encoding encoding)
{
    uint32_t values[CHUNK], got, good, done;
    int64_t last = INT64_MIN;

    for ( done = leap(memory, address, encoding); done <= OFFSETS_MAX;
          done += good )
    {
        got = (uint32_t)guest_memory_read(memory, address + 4ull * done, values,
                                          sizeof(values)) /
              4;
        good = count_rising(encoding, values, got, done, &last);
        if ( good < CHUNK )
            return address + 4ull * (done + good);
        if ( is_filler(encoding, values, good) )
            break;
    }
    return address + 4ull * done;
}

/* Reads the values before end: as many as may be, or those of one page, since
 * the page before may not be there.  Returns how many. */
static uint32_t read_values_before(struct guest_memory *memory, uint64_t end,
                                   uint32_t values[CHUNK])
{
    const uint64_t pages[] = {4ull * CHUNK, 4096};

    for ( size_t i = 0; i < 2 && memory->left; i++ )
    {
        uint64_t size = ((end - 1) & (pages[i] - 1)) + 1;

        if ( guest_memory_get(memory, end - size, values, size) )
            return (uint32_t)(size / 4);
    }
    return 0;
}

static uint64_t measure_down(struct guest_memory *memory, uint64_t address,
                             enum offset_encoding encoding)
{
    uint32_t values[CHUNK], good, count, done = 0;
    int64_t last = INT64_MAX;

    while ( done <= OFFSETS_MAX )
    {
        count = read_values_before(memory, address - 4ull * done, values);
        good = precede(encoding, values, count, -1 - (int64_t)done, &last);
        if ( is_filler(encoding, values + count - good, good) )
            break;
        done += good;
        if ( !count || good < count )
            break;
    }
    return address - 4ull * done;
}

enum kernel_status offset_run_measure(struct guest_memory *memory,
                                      uint64_t address,
                                      enum offset_encoding encoding,
                                      struct offset_run *ret)
{
    ret->encoding = encoding;
    ret->end = measure_up(memory, address, encoding);
    ret->start = measure_down(memory, address, encoding);
    if ( !memory->left )
        return KERNEL_BUDGET;
    return ret->end - ret->start >= 4 * OFFSETS_MIN &&
                   ret->end - ret->start <= 4 * OFFSETS_MAX
               ? KERNEL_OK
               : KERNEL_UNKNOWN;
}
