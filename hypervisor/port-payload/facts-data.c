/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What xenopctl fills in, or resolves to 0: in a file without readers, so that
 * the compiler does not use the zeroes.
 */
#include "xen.h"

__attribute__((section(".xenoprof.facts"), used))
const struct xenoprof_facts facts = {0};

const struct xen_optional optional = {
#define XEN_OPTIONAL(name) name,
#include <xenoprof/module-symbols.def>
#undef XEN_OPTIONAL
};
