/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for places that were stored before the symbols of their kernel were
 * known.
 */
#ifndef XENOPROF_DAEMON_GUESTS_LATE_NAMES_H
#define XENOPROF_DAEMON_GUESTS_LATE_NAMES_H

#include "libxenoprof.h"

/* For dom0's kernel. */
enum xenoprof_status late_names_of_dom0(const struct xenoprof_symbols *symbols,
                                        struct xenoprof_writer *writer);

#endif
