/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stack whose every word says where it lies.
 */
#ifndef XENOPROF_LAB_TEST_KERNEL_STACK_WORD_H
#define XENOPROF_LAB_TEST_KERNEL_STACK_WORD_H

#include <stdint.h>

static inline uint64_t stack_word(uint64_t address)
{
    return address ^ 0x5ca1ab1e0ddba115ull;
}

#endif /* XENOPROF_LAB_TEST_KERNEL_STACK_WORD_H */
