/* SPDX-License-Identifier: MIT */
/*
 * Fixed-width types for the headers that hypervisor and dom0 share.
 *
 * A port that is built without a C library (Xen's own tree is) puts a file of
 * this name earlier on its include path and takes the types from its own
 * headers; nothing else in include/xenoprof/ includes anything outside it.
 */
#ifndef XENOPROF_TYPES_H
#define XENOPROF_TYPES_H

#include <stdint.h>

#endif
