/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The origin of a thread: which program it runs, and in which cgroup, as its
 * kernel says.  The guest chose all of it; what is here is fit to be shown.
 */
#ifndef XENOPROF_GUEST_ORIGIN_H
#define XENOPROF_GUEST_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Letters of a path, without the zero; a longer one has its end, behind
 * ORIGIN_CUT. */
#define ORIGIN_PATH_MAX 255u
#define ORIGIN_CUT      "..."

/* Which thread is meant: a number is given again, with a later start. */
struct origin_thread {
    uint64_t start;
    uint32_t pid, tid;
};

/* Paths from the root on; "": not known, or there is none. */
struct thread_origin {
    char exe[ORIGIN_PATH_MAX + 1];
    char cgroup[ORIGIN_PATH_MAX + 1];
};

/* A path in the making, whose last name comes first. */
struct origin_path {
    char text[ORIGIN_PATH_MAX + 1];
    uint32_t at; /* where it begins so far */
    bool cut;
};

void origin_path_init(struct origin_path *path);
/* Puts "/name" before what is there; letters that are not printable, and
 * slashes, become question marks. */
void origin_path_add(struct origin_path *path, const char *name, size_t length);
/* Puts it into to: "/" if nothing was added. */
void origin_path_end(const struct origin_path *path,
                     char to[ORIGIN_PATH_MAX + 1]);

/* Returns whether another process made a path as those above, or "". */
bool origin_path_is_sound(const char *text);

#endif
