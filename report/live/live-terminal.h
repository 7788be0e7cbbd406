/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A terminal that shows pages: keys are read one by one without echo, and the
 * screen from before comes back at the end.
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

/* Returns true, or false if standard input and output are not a terminal. */
bool live_terminal_enter(struct live_terminal *terminal);
void live_terminal_leave(struct live_terminal *terminal);
/* For a program that ends at once: leaves the one that was entered, if one
 * was.  Takes no memory. */
void live_terminal_restore(void);

/* Wait at most ms for a key.  *key is 0 if none came or the terminal's size
 * changed; arrows are as in live-state.h.  Returns true, or false if a signal
 * asked to end or the keyboard is gone. */
bool live_terminal_wait(struct live_terminal *terminal, int ms, char *key);

/* Show text from the top of the screen; each line must fit. */
void live_terminal_show(const struct live_terminal *terminal, const char *text);

#endif
