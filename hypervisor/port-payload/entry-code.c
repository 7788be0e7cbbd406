/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the guest's words on Xen's stack are complete, from ip and sp.
 */
#include "entry-code.h"

static bool between(uint64_t ip, uint64_t start, uint64_t end)
{
    return ip >= start && ip < end;
}

bool entry_words_are_whole(const struct entry_code *code, uint64_t ip,
                           uint64_t sp, uint64_t stack_start, uint64_t words)
{
    if ( sp < stack_start || sp > words )
        return false;
    if ( code->exit_start >= code->exit_end )
        return !between(ip, code->start, code->end);
    return !between(ip, code->exit_start, code->exit_end);
}
