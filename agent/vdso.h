/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel maps into each process, "[vdso]": the same in ours. */
#ifndef XENOPROF_AGENT_VDSO_H
#define XENOPROF_AGENT_VDSO_H

#include <stddef.h>

/* Returns its bytes, an ELF file, or NULL if there is none. */
const void *vdso_get(size_t *size);

#endif
