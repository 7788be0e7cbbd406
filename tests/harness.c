/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "harness.h"

/* Bytes that a folder in memory must have for tests side by side. */
#define MEMORY_FREE (256ul << 20)

enum verdict { PASSED = 1, FAILED, SKIPPED };

static struct test_case *first, **last = &first;
static jmp_buf out;
static char reason[512];

void test_register(struct test_case *test)
{
    *last = test;
    last = &test->next;
}

void test_fail(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    int used = snprintf(reason, sizeof(reason), "%s:%d: ", file, line);

    va_start(arguments, format);
    vsnprintf(reason + used, sizeof(reason) - used, format, arguments);
    va_end(arguments);
    longjmp(out, FAILED);
}

void test_skip(const char *why)
{
    snprintf(reason, sizeof(reason), "%s", why);
    longjmp(out, SKIPPED);
}

unsigned int test_share(void)
{
    const char *share = getenv("TEST_SHARE");
    int ret = share ? atoi(share) : 1;

    return ret < 1 ? 1 : (unsigned int)ret;
}

/* Containers have a small one, or none. */
static bool has_room(const char *place)
{
    struct statvfs room;

    return !access(place, W_OK) && !statvfs(place, &room) &&
           (uint64_t)room.f_bavail * room.f_frsize >= MEMORY_FREE;
}

void test_make_folder(char ret[TEST_FOLDER_MAX], const char *name)
{
    const char *place = getenv("TMPDIR");

    if ( !place )
        place = has_room("/dev/shm") ? "/dev/shm" : "/tmp";
    snprintf(ret, TEST_FOLDER_MAX, "%s/%s", place, name);
    if ( !mkdtemp(ret) )
        test_fail(__FILE__, __LINE__, "no folder %s", ret);
}

void test_check_text(const char *file, int line, const char *what,
                     const char *got, const char *wanted)
{
    if ( !got || strcmp(got, wanted) )
        test_fail(file, line, "%s is \"%s\", wanted \"%s\"", what,
                  got ? got : "(null)", wanted);
}

static bool selected(const struct test_case *test, int argc, char **argv)
{
    for ( int i = 1; i < argc; i++ )
        if ( !strcmp(argv[i], test->name) )
            return true;
    return argc < 2;
}

/* A separate function, so that no local lives across the longjmp. */
static enum verdict run(const struct test_case *test)
{
    int left = setjmp(out);

    if ( left )
        return left;
    test->run();
    return PASSED;
}

static bool report(const struct test_case *test, int number)
{
    enum verdict verdict = run(test);

    printf("%sok %d - %s%s%s\n", verdict == FAILED ? "not " : "", number,
           test->name, verdict == SKIPPED ? " # SKIP " : "",
           verdict == SKIPPED ? reason : "");
    if ( verdict == FAILED )
        printf("# %s\n", reason);
    fflush(stdout);
    return verdict != FAILED;
}

int main(int argc, char **argv)
{
    int number = 0, failed = 0;

    for ( const struct test_case *test = first; test; test = test->next )
        if ( selected(test, argc, argv) )
            failed += !report(test, ++number);
    printf("1..%d\n", number);
    return failed ? 1 : 0;
}
