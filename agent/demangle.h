/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of C++ and Rust, as they are written in the source. */
#ifndef XENOPROF_AGENT_DEMANGLE_H
#define XENOPROF_AGENT_DEMANGLE_H

/* Returns it, to be freed; NULL if the name is no such one.  demangle-bfd.c has
 * it; a static program takes demangle-iberty.c's. */
char *demangle(const char *name);

#endif
