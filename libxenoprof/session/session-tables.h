/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The strings, places and stacks of a session by number, from 1.  Writer and
 * reader both keep them.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_TABLES_H
#define XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_TABLES_H

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
    uint32_t owner; /* a writer's: string, the domain's uuid; 0: unknown */
    uint16_t domain;
    uint8_t mode;
    bool stale : 1; /* its address has another meaning now */
    bool used : 1;  /* false: nobody defined this number */
};

struct stack_entry {
    size_t first; /* index in stack_places */
    uint16_t count;
    uint16_t room; /* places from first on that are this stack's */
    uint32_t file;
    uint32_t leaf; /* the first place, which each of its samples needs */
};

/* The numbers of a writer's entries that stayed when others were dropped,
 * ascending: slot i has the number items[i - 1]. */
struct number_list {
    VECTOR(uint32_t);
};

struct session_tables {
    /* By slot, which is the number as long as no entry was dropped. */
    struct string_entry *strings;
    struct place_entry *places;
    struct stack_entry *stacks;
    struct {
        VECTOR(uint32_t);
    } stack_places;
    uint32_t strings_room, places_room, stacks_room;
    uint32_t last_string, last_place, last_stack; /* highest numbers */
    bool dropped; /* entries were: these have the numbers of all slots */
    struct number_list string_numbers, place_numbers, stack_numbers;
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

/* Which entries stay, by slot: not 0 for those that do. */
struct tables_kept {
    uint8_t *strings, *places, *stacks;
};

/* Drops the others, in memory that is as large as what stays; numbers are as
 * before, and are not given out again.  Returns false if there is no memory:
 * nothing is dropped. */
bool tables_drop(struct session_tables *tables, const struct tables_kept *kept);

/* Returns the slot of a number in the list, or 0. */
uint32_t number_list_find(const struct number_list *numbers, uint32_t number);

/* Returns how many slots there are for numbers up to last. */
static inline uint32_t tables_slots(const struct session_tables *tables,
                                    const struct number_list *numbers,
                                    uint32_t last)
{
    return tables->dropped ? (uint32_t)numbers->count : last;
}

static inline uint32_t tables_slot(const struct session_tables *tables,
                                   const struct number_list *numbers,
                                   uint32_t number)
{
    return tables->dropped ? number_list_find(numbers, number) : number;
}

/* Returns the first slot of a number above this one. */
uint32_t tables_slot_after(const struct session_tables *tables,
                           const struct number_list *numbers, uint32_t number);

static inline uint32_t tables_number(const struct session_tables *tables,
                                     const struct number_list *numbers,
                                     uint32_t slot)
{
    return tables->dropped ? numbers->items[slot - 1] : slot;
}

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
    uint32_t slot = number <= tables->last_string
                        ? tables_slot(tables, &tables->string_numbers, number)
                        : 0;

    return slot && tables->strings[slot].text &&
                   tables_now(tables, tables->strings[slot].file)
               ? &tables->strings[slot]
               : NULL;
}

/* Returns the entry of a number up to the last, which may be undefined (its
 * file says so), or NULL. */
static inline struct place_entry *tables_place(
    const struct session_tables *tables, uint32_t number)
{
    uint32_t slot = number <= tables->last_place
                        ? tables_slot(tables, &tables->place_numbers, number)
                        : 0;

    return slot ? &tables->places[slot] : NULL;
}

/* As tables_string(). */
static inline struct stack_entry *tables_stack(
    const struct session_tables *tables, uint32_t number)
{
    uint32_t slot = number <= tables->last_stack
                        ? tables_slot(tables, &tables->stack_numbers, number)
                        : 0;

    return slot && tables->stacks[slot].count &&
                   tables_now(tables, tables->stacks[slot].file)
               ? &tables->stacks[slot]
               : NULL;
}

#endif
