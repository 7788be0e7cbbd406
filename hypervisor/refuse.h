/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sentence that tells why the last command was refused.
 */
#ifndef XENOPROF_HYPERVISOR_REFUSE_H
#define XENOPROF_HYPERVISOR_REFUSE_H

#include "errors.h"
#include "text.h"

/* Keeps the sentence, returns -error.  [command] */
int refuse(enum error error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* There is none (any more). [command] */
void refuse_nothing(void);
const char *refuse_message(void);

#endif
