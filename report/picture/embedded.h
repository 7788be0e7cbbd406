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

/* The page up to its title, from there to its data, its script, and the rest of
 * that; and what is another for a page that --serve serves, with the policy of
 * its head. */
extern const char *const embedded_page_head[];
extern const char *const embedded_page_body[];
extern const char *const embedded_page_script[];
extern const char *const embedded_page_end[];
extern const char *const embedded_served_head[];
extern const char *const embedded_served_end[];
extern const char *const embedded_served_policy[];

static inline void embedded_put(const char *const *lines, FILE *file)
{
    for ( ; *lines; lines++ )
        fputs(*lines, file);
}

#endif
