/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Imports a file of bytes, and says what became of it as a text. */
#ifndef XENOPROF_TESTS_UNIT_REPORT_IMPORT_IMPORT_KIT_H
#define XENOPROF_TESTS_UNIT_REPORT_IMPORT_IMPORT_KIT_H

#include <stddef.h>

#define IMPORT_KIT_TEXT 8192u

/*
 * A line for each sample, in their order:
 *
 *   TYPE COUNT DOMAIN.VCPU@PCPU MODE [PID:TID:COMM] IMAGE!SYMBOL+m ...
 *
 * leaf first; "0x..." where there is no symbol, "m" is the mode's letter.  Or
 * the sentence of a failure, without the file's path.  It is good until the
 * next call.
 */
const char *import_kit(const void *bytes, size_t size);

#endif
