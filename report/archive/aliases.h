/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Made-up names, and which names are public.
 */
#ifndef XENOPROF_REPORT_ARCHIVE_ALIASES_H
#define XENOPROF_REPORT_ARCHIVE_ALIASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each returns a malloc'ed text.  Of a path folder and file are aliases; of a
 * cgroup each word but those of systemd, Kubernetes and the like, so that it
 * still has its unit, container and pod. */
char *alias_word(const char *word, size_t length);
char *alias_path(const char *path);
char *alias_cgroup(const char *path);
/* The same of an image of a process: a public library keeps its file's name,
 * and the folder if that is one of the system's. */
char *alias_image(const char *image);

/* The same of a path of public code or its source: the file keeps its name, and
 * its folder what all hosts have. */
char *alias_code_path(const char *path);

/* Whether it is a library, or the like, that many systems have: its symbols are
 * public. */
bool image_is_public(const char *image);

void alias_uuid(uint8_t uuid[16]);

#endif
