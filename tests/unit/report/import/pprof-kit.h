/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small profiles of pprof, for its reader's tests and seeds. */
#ifndef XENOPROF_TESTS_UNIT_REPORT_IMPORT_PPROF_KIT_H
#define XENOPROF_TESTS_UNIT_REPORT_IMPORT_PPROF_KIT_H

#include "base/buffer.h"

/* Puts a field of a number, or of bytes. */
void pprof_kit_number(struct buffer *to, unsigned int field, uint64_t number);
void pprof_kit_bytes(struct buffer *to, unsigned int field, const void *bytes,
                     size_t size);
/* Puts a message of fields 1, 2, ..., count of them, of numbers; 0 is left
 * out. */
void pprof_kit_message(struct buffer *to, unsigned int field, size_t count,
                       const uint64_t *numbers);
/* Puts a text; the first one is to be "". */
void pprof_kit_text(struct buffer *to, const char *text);

/* A profile of two domains with all labels, as --export=pprof writes it. */
void pprof_kit_ours(struct buffer *to);
/* One of another tool: inlined functions, no labels, values in a packed
 * field. */
void pprof_kit_other(struct buffer *to);

#endif
