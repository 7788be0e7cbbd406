/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What --event=NAME[:MODIFIER...][:COUNT[:UNITMASK:KERNEL:USER]] says.  The
 * first field of digits is COUNT; what stands before it says what is counted,
 * what stands behind it is oprofile's.  NAME may be TABLE::NAME.
 */
#ifndef XENOPROF_CONTROL_EVENT_SPEC_H
#define XENOPROF_CONTROL_EVENT_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#define EVENT_NAME_MAX 64u

struct event_spec {
    char name[EVENT_NAME_MAX]; /* with its modifiers, as reports show it */
    char base[EVENT_NAME_MAX]; /* without them */
    bool kernel, user;         /* counted there; both if neither was given */
    bool guest, host;          /* HVM guests alone, or all else */
    uint8_t unit_mask;         /* oprofile's; 0: none */
    uint32_t count;            /* 0: the module adapts it */
};

/* Reads the event at *text and moves *text behind it, to a comma or the end.
 * Returns true, or false if none stands there. */
bool event_spec_read(const char **text, struct event_spec *ret);

/* Reads the next event of a set and moves *text behind it.  Returns true, or
 * false at the end; event_sets_add() has seen that all are right. */
bool event_spec_next(const char **text, struct event_spec *ret);

#endif
