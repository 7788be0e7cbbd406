/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The linker sends allocations here (--wrap, build-aux/sources.table). */
#include "tests/no-memory-kit.h"

#include <stdbool.h>
#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t length);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);

static unsigned long left; /* allocations until one fails; 0: none will */

unsigned long fail_allocation(unsigned long number)
{
    return __atomic_exchange_n(&left, number, __ATOMIC_RELAXED);
}

/* Of any thread. */
static bool fails(void)
{
    unsigned long now = __atomic_load_n(&left, __ATOMIC_RELAXED);

    while ( now &&
            !__atomic_compare_exchange_n(&left, &now, now - 1, true,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED) )
        continue;
    return now == 1;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
    return fails() ? NULL : __real_reallocarray(old, count, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t length)
{
    return fails() ? NULL : __real_strndup(text, length);
}
