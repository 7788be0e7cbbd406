/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of the running hypervisor, which the payload show-code must have put
 * into hypfs, and the code of our module, from the file that was loaded, if
 * there is one: a Xen that is built with us has that code in its own.
 */
#ifndef XENOPROF_TESTS_LAB_TOOLS_XEN_CODE_H
#define XENOPROF_TESTS_LAB_TOOLS_XEN_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ends the program if either cannot be read.  "": there is no module. */
void xen_code_open(const char *module);

bool xen_code_has(uint64_t address);
/* In the hypervisor's section of entry code; some lies elsewhere. */
bool xen_code_is_entry(uint64_t address);

/* Directly behind a call in the hypervisor; *to: where it leads, 0 if it is
 * indirect. */
bool xen_code_after_call(uint64_t address, uint64_t *to);

/* The module can lie where each of these addresses is directly after a call
 * in it. */
bool xen_code_fits_module(const uint64_t *addresses, size_t count);

/* One sentence, and exit status 1. */
void xen_code_fail(const char *what) __attribute__((noreturn));

#endif
