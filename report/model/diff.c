/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff.h"

struct diff_whole diff_whole(const struct loaded *loaded)
{
    struct diff_whole whole = {.samples = 0};
    uint64_t sampled = 0, samples = 0;

    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        whole.time += cell->time;
        if ( !cell->dropped )
            whole.samples += cell->samples;
        if ( cell->samples )
            sampled += cell->time;
        samples += cell->samples;
    }
    /* Idle time has no samples: as many as it would have had. */
    whole.looks = sampled
                      ? (double)samples * (double)whole.time / (double)sampled
                      : 0.0;
    return whole;
}

double diff_share(const struct diff_whole *whole, enum normalize normalize,
                  const struct amount *amount)
{
    if ( normalize == NORMALIZE_TIME )
        return whole->time ? (double)amount->time / (double)whole->time : 0.0;
    return whole->samples ? (double)amount->samples / (double)whole->samples
                          : 0.0;
}

void diff_test(const struct diff_whole whole[2], enum normalize normalize,
               const struct amount amount[2], struct change *ret)
{
    double x[2], n[2];

    for ( int side = 0; side < 2; side++ )
    {
        n[side] = normalize == NORMALIZE_TIME ? whole[side].looks
                                              : (double)whole[side].samples;
        x[side] = n[side] * diff_share(&whole[side], normalize, &amount[side]);
    }
    noise_test(x, n, ret);
}
