/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Xen's code in hypfs, as xenopctl looks at it, for tests that check it too. */
#include "hypervisor/port-payload/probe/probe.c"
