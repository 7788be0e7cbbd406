/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which maker's virtualization this host's processors have, since traces of Xen
 * up to 4.19 do not say of which an exit is.
 */
#ifndef XENOPROF_TRACE_PROCESSOR_H
#define XENOPROF_TRACE_PROCESSOR_H

#include <stdbool.h>

/* AMD's, or one that is made like it. */
bool processor_is_svm(void);

#endif
