/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hypervisor core in this process (tests/host) as a source,
 * for tests and benches.
 */
#ifndef XENOPROF_TESTS_UNIT_LIBXENOPROF_SOURCE_KIT_H
#define XENOPROF_TESTS_UNIT_LIBXENOPROF_SOURCE_KIT_H

#include "libxenoprof.h"

/* status_mfn: as the core's state gives it. */
enum xenoprof_status source_process(struct xenoprof_handle *handle,
                                    uint64_t status_mfn,
                                    struct xenoprof_source **ret);

#endif
