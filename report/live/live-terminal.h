/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A terminal that shows one page after the other: keys come one by one and
 * are not echoed, and what was there before comes back at the end.
 */
#ifndef XENOPROF_REPORT_LIVE_LIVE_TERMINAL_H
#define XENOPROF_REPORT_LIVE_LIVE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

struct live_terminal {
    struct termios before;
    bool changed;
    size_t width, height;
};

/* False if standard input and output are no terminal. */
bool live_terminal_enter(struct live_terminal *terminal);
void live_terminal_leave(struct live_terminal *terminal);

/* Wait for a key for at most that long; *key is 0 if none came, or if the
 * terminal has another size now; arrows are as live-state.h has them.  False
 * if the program is to end: a signal asked for it, or the keyboard is gone. */
bool live_terminal_wait(struct live_terminal *terminal, int ms, char *key);

/* Show text, of which each line fits, from the top on. */
void live_terminal_show(const struct live_terminal *terminal, const char *text);

#endif
