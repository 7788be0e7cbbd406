/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which maker's virtualization there is. */
#include <cpuid.h>

#include "processor.h"

#define SIGNATURE_SHANGHAI 0x68532020u /* "  Sh" */

bool processor_is_svm(void)
{
    unsigned int leaf, vendor = 0, others[2];

    /* Intel's, or one that is made like them. */
    return __get_cpuid(0, &leaf, &vendor, &others[0], &others[1]) &&
           vendor != signature_INTEL_ebx && vendor != signature_CENTAUR_ebx &&
           vendor != SIGNATURE_SHANGHAI;
}
