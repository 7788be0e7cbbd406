/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fuzzer is tests/fuzz/fuzz-NAME.c with the first function below.  It runs
 * under libFuzzer (clang -fsanitize=fuzzer), and with tests/fuzz/replay.c as
 * its main() in `make check`.
 */
#ifndef XENOPROF_TESTS_FUZZ_FUZZ_H
#define XENOPROF_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define FUZZ_MAX 65536u /* bytes of an input */

/* Takes any input: nothing may crash, and each FUZZ_CHECK() must hold.  Returns
 * 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Optional: writes seed number number, from 0 on, to bytes (FUZZ_MAX of them).
 * Returns its size, or 0 if there are no more.  Seeds may also be files in
 * tests/fuzz/seeds/NAME.
 */
size_t fuzz_seed(unsigned int number, uint8_t *bytes) __attribute__((weak));

#define FUZZ_CHECK(condition)                                                  \
    do                                                                         \
    {                                                                          \
        if ( !(condition) )                                                    \
        {                                                                      \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);    \
            abort();                                                           \
        }                                                                      \
    } while ( 0 )

#endif
