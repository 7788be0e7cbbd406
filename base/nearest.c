/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The number of steps from name to word, by the usual table of all beginnings
 * of the one and of the other, of which three rows are kept. */
#include "nearest.h"

#include <string.h>

#define LETTERS_A_STEP 3u

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

struct steps {
    /* From the first letters of the word, and one and two less, to all
     * beginnings of the name. */
    size_t now[NEAREST_MAX + 1], before[NEAREST_MAX + 1],
        two_before[NEAREST_MAX + 1];
};

static size_t distance_of(const char *word, const char *name, size_t length)
{
    struct steps steps;

    for ( size_t j = 0; j <= length; j++ )
        steps.now[j] = steps.before[j] = j;
    for ( size_t i = 0; word[i]; i++ )
    {
        memcpy(steps.two_before, steps.before, sizeof(steps.before));
        memcpy(steps.before, steps.now, sizeof(steps.now));
        steps.now[0] = i + 1;
        for ( size_t j = 0; j < length; j++ )
        {
            size_t other = steps.before[j] + (word[i] != name[j]);
            size_t more = least(steps.before[j + 1], steps.now[j]) + 1;

            steps.now[j + 1] = least(other, more);
            if ( i && j && word[i] == name[j - 1] && word[i - 1] == name[j] )
                steps.now[j + 1] = least(steps.now[j + 1],
                                         steps.two_before[j - 1] + 1);
        }
    }
    return steps.now[length];
}

void nearest_offer(struct nearest *nearest, const char *name)
{
    size_t length = strlen(name), distance;

    if ( length > NEAREST_MAX || strlen(nearest->word) > NEAREST_MAX )
        return;
    distance = distance_of(nearest->word, name, length);
    if ( distance > length / LETTERS_A_STEP ||
         (nearest->name && distance >= nearest->distance) )
        return;
    nearest->name = name;
    nearest->distance = distance;
}
