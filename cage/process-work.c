/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>

#include "process-work.h"

#define WHOLE 1024u

uint64_t process_work_add(struct process_work *work, uint64_t ns)
{
    work->spent += ns;
    return ns - ns / WHOLE * work->surplus;
}

void process_work_look(struct process_work *work, uint64_t own, uint64_t ran)
{
    uint64_t counted = own + work->spent;
    uint64_t more = counted - work->counted, more_ran = ran - work->ran;
    bool first = !work->counted || !work->ran || !ran || ran < work->ran;

    work->counted = counted;
    work->ran = ran;
    if ( first )
        return;
    work->lately = work->lately / 2 + more;
    work->lately_ran = work->lately_ran / 2 + more_ran;
    work->surplus = work->lately > work->lately_ran
                        ? (uint32_t)(WHOLE - 1 -
                                     work->lately_ran * (WHOLE - 1) /
                                         work->lately)
                        : 0;
}
