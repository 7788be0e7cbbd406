/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trailer of a kept module: the last bytes of its file, which say how many
 * come before them, and what their checksum is.  Xen's loader does not look
 * behind the sections of an ELF file, so it takes the file as it is.
 *
 * The folder is root's alone (folder.h), so this is against damage only: by a
 * disk, a crash, or a hand that slipped.
 */
#ifndef XENOPROF_MODULE_TRAILER_H
#define XENOPROF_MODULE_TRAILER_H

#include <stdbool.h>
#include <stddef.h>

#define TRAILER_BYTES 16u

/* Appends the trailer to a file that has none.  Returns 0 or -errno. */
int trailer_add(const char *path);

/* Returns whether the bytes of a file end with their trailer; *contents is how
 * many come before it. */
bool trailer_fits(const void *bytes, size_t size, size_t *contents);

#endif
