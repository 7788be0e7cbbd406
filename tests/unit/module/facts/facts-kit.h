/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hypervisor of a few hand-made functions, for tests of facts. */
#ifndef XENOPROF_TESTS_UNIT_MODULE_FACTS_FACTS_KIT_H
#define XENOPROF_TESTS_UNIT_MODULE_FACTS_FACTS_KIT_H

#include "module/facts/evidence.h"
#include "module/xen-image.h"

#define KIT_TEXT_ADDRESS 0xffff82d040200000ull

/* The distance between functions, in the order in which they are given. */
#define KIT_FUNCTION_SIZE 64

struct kit_function {
    const char *name; /* as the hypervisor spells it */
    const uint8_t *code;
    size_t size;
};

#define KIT_FUNCTION(name, code)                                               \
    {                                                                          \
        name, code, sizeof(code)                                               \
    }

/* Opens an image of those functions; data symbols are "per_cpu__test" and
 * "irq_stat", 0x100000 and 0x100100 after the text.  One image at a time. */
void kit_open(struct xen_image *image, const struct kit_function *functions,
              size_t count);

#define KIT_OPEN(image, functions)                                             \
    kit_open(image, functions, sizeof(functions) / sizeof(*(functions)))

/* Returns the offset that a pattern finds in a function, -1 if it finds none,
 * or -2 if it contradicts itself. */
long kit_find(const struct xen_image *image, const char *function,
              const char *pattern);

#endif
