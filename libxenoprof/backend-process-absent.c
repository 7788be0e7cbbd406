/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library that is installed: no hypervisor core in this process. */
#include "private.h"

enum xenoprof_status xenoprof_source_process(struct xenoprof_handle *handle,
                                             uint64_t status_mfn,
                                             struct xenoprof_source **ret)
{
    (void)status_mfn;
    (void)ret;
    return handle_fail(handle, XENOPROF_UNSUPPORTED,
                       "process: only tests and benches have the core in "
                       "their own process");
}
