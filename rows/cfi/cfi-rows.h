/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of a section of call frame information. */
#ifndef XENOPROF_ROWS_CFI_ROWS_H
#define XENOPROF_ROWS_CFI_ROWS_H

#include "cfi-bytes.h"
#include "rows/row-builder.h"

/* Adds the rows of each function to the builder; takes time and memory in
 * proportion to the section, and ends when no table can be made any more.
 * Functions that make no sense are passed over.  Returns how many those
 * were. */
size_t cfi_rows(const struct cfi_section *section, struct row_builder *builder);

#endif
