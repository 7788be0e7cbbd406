/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts that are part of the program: build-aux/embed makes C of the files in
 * report/page/ and report/picture/.
 */
#ifndef XENOPROF_REPORT_PICTURE_EMBEDDED_H
#define XENOPROF_REPORT_PICTURE_EMBEDDED_H

#include <stdio.h>

/* Lines with their ends; NULL after the last. */
extern const char *const embedded_flame_style[];
extern const char *const embedded_flame_script[];

/* The page up to its title, from there to its data, and from there on. */
extern const char *const embedded_page_head[];
extern const char *const embedded_page_body[];
extern const char *const embedded_page_end[];

static inline void embedded_put(const char *const *lines, FILE *file)
{
    for ( ; *lines; lines++ )
        fputs(*lines, file);
}

#endif
