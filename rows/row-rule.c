/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a walk may rely on in each rule. */
#include "row-rule.h"

static bool saved_sound(uint8_t way, int8_t offset)
{
    if ( way == SAVED_NOT || way == SAVED_LOST )
        return !offset;
    return way < SAVED_WAYS;
}

/* A rule that finds no CFA, or all registers with it, says nothing else. */
static bool is_bare(const struct row_rule *rule)
{
    return !rule->extra && !rule->bp && !rule->bx && !rule->bp_offset &&
           !rule->bx_offset;
}

static bool extra_sound(const struct row_rule *rule)
{
    switch ( rule->kind )
    {
    case RULE_SP:
    case RULE_BP: return !rule->extra;
    case RULE_REGISTER:
        return rule->extra < ROW_REGISTER_COUNT && rule->extra != ROW_SP &&
               rule->extra != ROW_BP;
    case RULE_PLT: return rule->extra < 16 && !rule->offset;
    default: return true;
    }
}

bool row_rule_sound(const struct row_rule *rule)
{
    switch ( rule->kind )
    {
    case RULE_NONE:
    case RULE_UNKNOWN:
    case RULE_ROOT: return is_bare(rule) && !rule->offset;
    case RULE_SIGNAL: return is_bare(rule);
    case RULE_SP:
    case RULE_BP:
    case RULE_REGISTER:
    case RULE_AT_SP:
    case RULE_AT_BP:
    case RULE_PLT:
        return extra_sound(rule) && saved_sound(rule->bp, rule->bp_offset) &&
               saved_sound(rule->bx, rule->bx_offset);
    default: return false;
    }
}
