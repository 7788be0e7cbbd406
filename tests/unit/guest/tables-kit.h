/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel as its two tables, and the kernel that they make elsewhere. */
#ifndef XENOPROF_TESTS_UNIT_GUEST_TABLES_KIT_H
#define XENOPROF_TESTS_UNIT_GUEST_TABLES_KIT_H

#include "base/buffer.h"
#include "guest/kernel.h"

struct kit_tables {
    struct buffer image, modules;
    uint64_t base;
};

/* Return false if there is no memory. */
static inline bool kit_put_tables(const struct kernel *kernel,
                                  struct kit_tables *ret)
{
    return kernel_put_image(kernel, &ret->image, &ret->base) &&
           kernel_put_modules(kernel, &ret->modules);
}

static inline enum kernel_status kit_from_tables(const struct kit_tables *from,
                                                 struct kernel **ret)
{
    struct kernel_tables tables = {
        .image = from->image.bytes,
        .image_size = from->image.used,
        .modules = from->modules.bytes,
        .modules_size = from->modules.used,
        .base = from->base,
    };

    return kernel_from_tables(&tables, ret);
}

static inline void kit_free_tables(struct kit_tables *tables)
{
    buffer_free(&tables->image);
    buffer_free(&tables->modules);
}

#endif
