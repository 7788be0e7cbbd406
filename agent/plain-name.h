/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of linkers, as they are written in the source. */
#ifndef XENOPROF_AGENT_PLAIN_NAME_H
#define XENOPROF_AGENT_PLAIN_NAME_H

#include <stddef.h>

/* Puts it into ret, of size bytes, cut if it is longer. */
void plain_name(const char *name, char *ret, size_t size);

#endif
