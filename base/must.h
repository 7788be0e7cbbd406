/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that there must be.  A program that lives for one answer has nothing
 * to do without it but say so and end: it asks for memory as in
 *
 *   row->name = must(strdup(name));
 *   must_do(vector_reserve(rows, count));
 *
 * and nobody above looks whether there was any.  What goes on without, as the
 * daemon does, looks itself.
 */
#ifndef XENOPROF_BASE_MUST_H
#define XENOPROF_BASE_MUST_H

#include <stdbool.h>

/* Ends the program with STATUS_FAILED and the sentence of fail_memory(); any
 * thread may call it, and what the others do stays undone. */
void no_memory(void) __attribute__((noreturn));

/* Has no_memory() call that instead of writing the sentence to standard error:
 * once, in the thread that has no memory, while others still run.  It takes
 * none. */
void no_memory_ends(void (*end)(const char *sentence));

/* Returns what it is given, which has the same type; does not if that is
 * NULL. */
#define must(pointer) ((typeof(pointer))must_have(pointer))

/* Goes on if it was done: an allocation that says so. */
static inline void must_do(bool done)
{
    if ( !done )
        no_memory();
}

/* Returns a malloc'ed text. */
char *must_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Only for the macro above. */
static inline void *must_have(void *pointer)
{
    must_do(pointer);
    return pointer;
}

#endif
