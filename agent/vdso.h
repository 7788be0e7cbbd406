/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel maps into each process, "[vdso]": it is no file, and the same
 * in ours as in others.
 */
#ifndef XENOPROF_AGENT_VDSO_H
#define XENOPROF_AGENT_VDSO_H

#include <stddef.h>

/* Returns its bytes, an ELF file, good for as long as this process lives, and
 * in *size how many these are; or NULL and 0 if there is none. */
const void *vdso_get(size_t *size);

#endif
