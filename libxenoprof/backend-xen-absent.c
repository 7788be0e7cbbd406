/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The backend of a library that is built without Xen's libraries. */
#include "handle.h"

enum xenoprof_status xenoprof_prepare_xen(struct xenoprof_handle *handle)
{
    return handle_fail(handle, XENOPROF_UNSUPPORTED,
                       "xen: this xenoprof was configured --without-xen");
}

enum xenoprof_status xenoprof_source_xen(struct xenoprof_handle *handle,
                                         uint64_t status_mfn,
                                         struct xenoprof_source **ret)
{
    (void)status_mfn;
    (void)ret;
    return handle_fail(handle, XENOPROF_UNSUPPORTED,
                       "xen: this xenoprof was configured --without-xen");
}
