/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks a kernel about its code, as a walk does. */
#ifndef XENOPROF_TESTS_UNIT_GUEST_KERNEL_ASK_H
#define XENOPROF_TESTS_UNIT_GUEST_KERNEL_ASK_H

#include "guest/kernel.h"

static inline bool kernel_row(const struct kernel *kernel, uint64_t address,
                              struct unwind_row *ret)
{
    struct unwind_code code;

    kernel_get_code(kernel, &code);
    return code.row(code.self, address, ret);
}

static inline bool kernel_is_code(const struct kernel *kernel, uint64_t address)
{
    struct unwind_code code;

    kernel_get_code(kernel, &code);
    return code.is_code(code.self, address);
}

static inline bool kernel_has_frame_pointers(const struct kernel *kernel)
{
    struct unwind_code code;

    kernel_get_code(kernel, &code);
    return code.frame_pointers;
}

#endif
