/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ratio.h"

#include "base/must.h"
#include "report/model/format.h"

#include <math.h>

#define QUANTILE 1.959964 /* of 95 % on both sides of a normal distribution */

struct ratio ratio_of(const struct ratio_side *of, const struct ratio_side *by)
{
    struct ratio ratio = {.known = of->samples && by->samples && by->amount};

    if ( !by->amount )
        return ratio;
    ratio.value = (double)of->amount / (double)by->amount;
    if ( ratio.known )
        ratio.error = QUANTILE * ratio.value *
                      sqrt(1 / (double)of->samples + 1 / (double)by->samples);
    return ratio;
}

char *ratio_text(double value)
{
    return must_text(value > 0 && value < 0.0995 ? "%.3g" : "%.3f", value);
}
