/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unit test kit: cases that register themselves, checks that say both
 * values, output as TAP.
 *
 *   TEST(ring_wraps)
 *   {
 *       CHECK(ring_open(&ring) == 0);
 *       CHECK_EQ(ring_free(&ring), 4096);
 *   }
 *
 * A failed check ends its case.  A program links tests/harness.c, which has
 * main(); words on its command line select cases by name.
 *
 * TEST_SHARE=N in the environment: tests that do the same very often do an Nth
 * of it, as ./check has it but for --long (tests/check/build.sh).
 */
#ifndef XENOPROF_TESTS_HARNESS_H
#define XENOPROF_TESTS_HARNESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct test_case {
    const char *name;
    void (*run)(void);
    struct test_case *next;
};

void test_register(struct test_case *test);
/* Say where and why, and end the case. */
void test_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));
/* The case does not apply here; only if the machine truly cannot do it. */
void test_skip(const char *why) __attribute__((noreturn));
/* N of TEST_SHARE; 1 without. */
unsigned int test_share(void);
/* Makes a folder of that name ("xenoprof-test-XXXXXX"), whose path ret has
 * then: in TMPDIR, or in memory if it has room, where nobody waits for a
 * disk. */
#define TEST_FOLDER_MAX 64u
void test_make_folder(char ret[TEST_FOLDER_MAX], const char *name);
void test_check_text(const char *file, int line, const char *what,
                     const char *got, const char *wanted);

#define TEST_IF(case_name, condition)                                          \
    static void test_##case_name(void);                                        \
    static struct test_case case_##case_name = {#case_name, test_##case_name,  \
                                                0};                            \
    __attribute__((constructor)) static void register_##case_name(void)        \
    {                                                                          \
        if ( condition )                                                       \
            test_register(&case_##case_name);                                  \
    }                                                                          \
    static void test_##case_name(void)

#define TEST(case_name) TEST_IF(case_name, true)

/* One that takes long: it is there if the environment has that variable, as
 * ./check --long sets it. */
#define LONG_TEST(case_name, variable) TEST_IF(case_name, getenv(variable))

#define CHECK(condition)                                                       \
    do                                                                         \
    {                                                                          \
        if ( !(condition) )                                                    \
            test_fail(__FILE__, __LINE__, "%s", #condition);                   \
    } while ( 0 )

#define CHECK_EQ(got, wanted)                                                  \
    do                                                                         \
    {                                                                          \
        long long got_ = (long long)(got), wanted_ = (long long)(wanted);      \
        if ( got_ != wanted_ )                                                 \
            test_fail(__FILE__, __LINE__, "%s is %lld (0x%llx), wanted %lld",  \
                      #got, got_, (unsigned long long)got_, wanted_);          \
    } while ( 0 )

#define CHECK_TEXT(got, wanted)                                                \
    test_check_text(__FILE__, __LINE__, #got, got, wanted)

#endif
