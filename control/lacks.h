/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the module cannot do on this hypervisor, for people. */
#ifndef XENOPROF_CONTROL_LACKS_H
#define XENOPROF_CONTROL_LACKS_H

#include <stddef.h>
#include <stdint.h>

/* Enough for all of them. */
#define LACKS_TEXT_MAX 1000

/* Writes a sentence for each bit (enum xenoprof_lack, a set), each with a blank
 * behind it; "" for none.  Bits without a meaning, of a newer module, are
 * passed over. */
void lacks_text(uint32_t lacks, char *text, size_t size);

#endif
