/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which keys there are (key-table.def), and which of them are for what is
 * being typed: all that have a character, Enter, Backspace and Escape.
 */
#ifndef XENOPROF_REPORT_BROWSE_BROWSE_KEYS_H
#define XENOPROF_REPORT_BROWSE_BROWSE_KEYS_H

#include "browse-state.h"

/* Does what a key of browse_screen_key() is for; nothing if it is for
 * nothing. */
void browse_key(struct browse *browse, int key);

#endif
