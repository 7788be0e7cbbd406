/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocations that fail when a test says so: malloc(), calloc(), realloc(),
 * reallocarray(), strdup() and strndup() of all that the test links, but not of
 * the C library's own.
 */
#ifndef TESTS_NO_MEMORY_KIT_H
#define TESTS_NO_MEMORY_KIT_H

/* Lets the number-th allocation from now fail, 1 being the next; 0: none.
 * Returns how many were left until the one that was to fail before this call;
 * 0 if that one has failed, or none was to. */
unsigned long fail_allocation(unsigned long number);

#endif
