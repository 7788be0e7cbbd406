/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hypervisor on disk, which may not be the one that runs. */
#ifndef XENOPROF_MODULE_BOOT_FILE_H
#define XENOPROF_MODULE_BOOT_FILE_H

#include "xen-image.h"

/*
 * Opens an image from what a boot loader loads (xen-4.20-amd64.gz, also
 * unpacked) or from a xen-syms file.  Its code is as the linker wrote it: a
 * running hypervisor has patched a few places for its processor.  Returns 0;
 * -errno of reading; -ENOEXEC if the file is neither of both; -ENODATA if it is
 * a boot file without symbols that can be read; -EFBIG; or -ENOMEM.  After a
 * failure there is nothing to close.
 */
int boot_file_open(struct xen_image *image, const char *path);

#endif /* XENOPROF_MODULE_BOOT_FILE_H */
