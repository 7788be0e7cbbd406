/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The strings, places and stacks of a session by number, from 1.  Writer and
 * reader both keep them.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_V1_SESSION_TABLES_H
#define XENOPROF_LIBXENOPROF_SESSION_V1_SESSION_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"

/* In each entry, file is the number + 1 of the file that last defined it, or 0
 * if it is not defined; for a reader, what tables_begin_file() counts. */
struct string_entry {
    char *text; /* zero-terminated, may contain zeroes */
    uint32_t length;
    uint32_t file;
};

struct place_entry {
    uint64_t address;
    uint64_t symbol_start;
    uint32_t image; /* string, 0: unknown */
    uint32_t symbol;
    uint32_t file;
    uint16_t domain;
    uint8_t mode;
    bool stale; /* its address has another meaning now */
};

struct stack_entry {
    size_t first; /* index in stack_places */
    uint16_t count;
    uint16_t room; /* places from first on that are this stack's */
    uint32_t file;
    uint32_t leaf; /* the first place, which each of its samples needs */
    uint32_t call; /* of samples with this place, number + 1; 0: none yet */
};

struct session_tables {
    struct string_entry *strings;
    struct place_entry *places;
    struct stack_entry *stacks;
    struct {
        VECTOR(uint32_t);
    } stack_places;
    uint32_t strings_room, places_room, stacks_room;
    uint32_t last_string, last_place, last_stack; /* highest numbers */
    uint32_t file; /* that a reader reads, from 1; a writer's: 0 */
};

void tables_deinit(struct session_tables *tables);

/* A reader comes to a file: nothing is defined any more.  Takes no time for
 * what was, since a session may have many small files with high numbers. */
void tables_begin_file(struct session_tables *tables);

/* Define a number (1..NUMBER_MAX), or define it anew, in its old room if it
 * fits; all is copied.  A stack has at most STACK_MAX places.  Returns false if
 * there is no memory. */
bool tables_set_string(struct session_tables *tables, uint32_t number,
                       const void *bytes, uint32_t length);
bool tables_set_place(struct session_tables *tables, uint32_t number,
                      const struct place_entry *place);
bool tables_set_stack(struct session_tables *tables, uint32_t number,
                      const uint32_t *places, uint32_t count);

/* Whether an entry with this file is one that counts. */
static inline bool tables_now(const struct session_tables *tables,
                              uint32_t file)
{
    return !tables->file || tables->file == file;
}

/* Returns the entry, or NULL for 0 and for a number that is not defined. */
static inline struct string_entry *tables_string(
    const struct session_tables *tables, uint32_t number)
{
    return number && number <= tables->last_string &&
                   tables->strings[number].text &&
                   tables_now(tables, tables->strings[number].file)
               ? &tables->strings[number]
               : NULL;
}

/* Returns the entry of a number up to the last, which may be undefined (its
 * file says so), or NULL. */
static inline struct place_entry *tables_place(
    const struct session_tables *tables, uint32_t number)
{
    return number && number <= tables->last_place ? &tables->places[number]
                                                  : NULL;
}

/* As tables_string(). */
static inline struct stack_entry *tables_stack(
    const struct session_tables *tables, uint32_t number)
{
    return number && number <= tables->last_stack &&
                   tables->stacks[number].count &&
                   tables_now(tables, tables->stacks[number].file)
               ? &tables->stacks[number]
               : NULL;
}

#endif
