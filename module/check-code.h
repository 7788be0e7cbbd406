/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of module_check() that asks the hypervisor's code. */
#ifndef XENOPROF_MODULE_CHECK_CODE_H
#define XENOPROF_MODULE_CHECK_CODE_H

#include "answer.h"
#include "context.h"

/*
 * Prints what --setup would find in the running hypervisor's code (survey.h),
 * or that it need not look: the module is kept, or loaded.  Loads the probe for
 * that and nothing else.  Returns 0, or the exit status with which
 * --setup would fail.
 */
int check_code(struct module_context *context, struct answer_list *answers);

#endif /* XENOPROF_MODULE_CHECK_CODE_H */
