/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Xen's code in hypfs, as xenopctl looks at it, for tests that check it too.
 * Xen itself finds no names of what is static there, as xenopctl does. */
#define opt_nmi no_word

#include "hypervisor/port-payload/probe/probe.c"

char no_word[1];
