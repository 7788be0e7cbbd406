/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pace.h"

void pace_start(struct pace *pace, uint64_t least)
{
    pace->calm = 0;
    pace->least = least;
    if ( !pace->patience )
        pace->patience = pace->least;
}

void pace_lower(struct pace *pace, uint32_t halvings)
{
    if ( halvings <= pace_halvings(pace) )
        return;
    pace->slowed = pace->raised + halvings;
    pace->calm = 0;
    if ( !pace->falls && pace->patience < PACE_PATIENCE_MAX )
        pace->patience *= 2;
    pace->falls = true;
}

void pace_rest(struct pace *pace, uint64_t span, bool calm)
{
    uint32_t halvings = pace_halvings(pace);
    uint64_t enough = pace->patience;

    pace->calm = calm ? pace->calm + span : 0;
    if ( !halvings && enough < PACE_FORGETS )
        enough = PACE_FORGETS;
    if ( pace->calm < enough )
        return;
    pace->calm = 0;
    pace->falls = false;
    if ( halvings )
        pace->raised++;
    else
        pace->patience = pace->least;
}
