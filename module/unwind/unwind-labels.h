/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_MODULE_UNWIND_UNWIND_LABELS_H
#define XENOPROF_MODULE_UNWIND_UNWIND_LABELS_H

#include "unwind-frame.h"

/*
 * Symbols do not say whether they are functions.  One that is come to from
 * right before it, with something on the stack, is a label: its mark is taken
 * away.  Returns how many; the flow must be followed again if there are any.
 */
size_t unwind_drop_labels(struct unwind_code *code,
                          const struct unwind_frame *frames);

#endif
