/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds whose facts are known: a second opinion, never a source. */
#ifndef XENOPROF_MODULE_FACTS_FACTS_KNOWN_H
#define XENOPROF_MODULE_FACTS_FACTS_KNOWN_H

#include "facts.h"

#include <stdbool.h>

/* Facts of the build an image has, absent where unknown; false: not known. */
bool facts_known(const struct hypervisor_image *image,
                 struct xenoprof_facts *facts);

#endif /* XENOPROF_MODULE_FACTS_FACTS_KNOWN_H */
