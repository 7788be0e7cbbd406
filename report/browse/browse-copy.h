/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command line for another terminal.
 */
#ifndef XENOPROF_REPORT_BROWSE_BROWSE_COPY_H
#define XENOPROF_REPORT_BROWSE_BROWSE_COPY_H

#include <stddef.h>

/* Returns a page with the command, malloc'ed, in lines that a shell reads as
 * one: a line that is too long ends with a backslash behind a word. */
char *browse_command_page(const char *command, size_t width);

/* Asks the terminal to copy a clean text (OSC 52): many do, others are
 * silent. */
void browse_copy(const char *text);

#endif
