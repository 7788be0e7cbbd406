/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For fuzzing something too large, or too well formed, to be an input itself:
 * the input chooses an original and says what to change in it.
 */
#ifndef XENOPROF_TESTS_FUZZ_EDITS_H
#define XENOPROF_TESTS_FUZZ_EDITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EDIT_SIZE 5u /* where (3 bytes), how many, what */

/* Changes bytes as the input says, from its second byte on. */
static inline void edits_apply(const uint8_t *input, size_t input_size,
                               uint8_t *bytes, size_t size)
{
    size_t at;

    for ( at = 1; at + EDIT_SIZE <= input_size && size; at += EDIT_SIZE )
    {
        size_t where = (input[at] | (size_t)input[at + 1] << 8 |
                        (size_t)input[at + 2] << 16) %
                       size;
        size_t count = 1 + input[at + 3] % 8;

        if ( count > size - where )
            count = size - where;
        memset(bytes + where, input[at + 4], count);
    }
}

/* Returns the byte behind the edits, or 0 if the input ends with them. */
static inline unsigned int edits_rest(const uint8_t *input, size_t input_size)
{
    size_t rest = input_size ? (input_size - 1) % EDIT_SIZE : 0;

    return rest ? input[input_size - rest] : 0;
}

/* Makes a short input for original number number.  Returns its size. */
static inline size_t edits_seed(unsigned int number, uint8_t *input)
{
    input[0] = (uint8_t)number;
    memset(input + 1, 0xff, 4 * EDIT_SIZE);
    return 1 + 4 * EDIT_SIZE;
}

#endif
