/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kit's kernels as files: ELF, packed, boot image, text.
 */
#ifndef XENOPROF_TESTS_UNIT_GUEST_LINUX_KERNEL_KIT_FILE_H
#define XENOPROF_TESTS_UNIT_GUEST_LINUX_KERNEL_KIT_FILE_H

#include "kernel-kit.h"

enum fake_packing {
    FAKE_PLAIN,
    FAKE_GZIP,
    FAKE_XZ,
    FAKE_LZMA,
    FAKE_ZSTD,
    FAKE_LZ4,
    FAKE_PACKINGS
};

/* All of these start a part afresh; free() its bytes. */
void fake_elf(const struct fake_kernel *fake, struct fake_part *ret);
void fake_pack(const struct fake_part *file, enum fake_packing packing,
               struct fake_part *ret);
/* As Linux's boot protocol has it. */
void fake_boot_image(const struct fake_part *packed, size_t unpacked,
                     struct fake_part *ret);
void fake_system_map(const struct fake_kernel *fake, struct fake_part *ret);

#endif
