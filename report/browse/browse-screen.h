/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A terminal by ncursesw: lines of text, and keys.  A line's colours are those
 * that report/text/screen.h writes, and the terminal's own.
 */
#ifndef XENOPROF_REPORT_BROWSE_BROWSE_SCREEN_H
#define XENOPROF_REPORT_BROWSE_BROWSE_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#define BROWSE_WIDTH_MIN  40u
#define BROWSE_HEIGHT_MIN 10u

enum browse_line { LINE_PLAIN, LINE_CURSOR, LINE_BAR };

/* Whether standard input and output are a terminal that can be more than
 * written to. */
bool browse_screen_there(void);

/* Takes the terminal.  Returns false if nothing is known of its kind. */
bool browse_screen_enter(void);
/* Gives it back as it was; nothing if it was not taken. */
void browse_screen_leave(void);

size_t browse_screen_width(void);
size_t browse_screen_height(void);

/* What follows is drawn on an empty screen, and seen by the end of it. */
void browse_screen_begin(void);
/* One line: the text ends at a newline, or its end; what does not fit is not
 * seen.  LINE_CURSOR and LINE_BAR are reversed to the screen's edge. */
void browse_screen_line(size_t y, const char *text, enum browse_line kind);
void browse_screen_end(void);

/* Bytes for the terminal itself. */
void browse_screen_send(const char *bytes);

/* Waits for a key, so many ms at most, or, less than 0, for ever.  Returns its
 * byte or curses' number, KEY_RESIZE if the screen's size changed; 0: none
 * came; less than 0 if a signal asked to end, or the keyboard is gone. */
int browse_screen_key(int ms);

#endif
