/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that one process compiled itself, by what it writes for
 * profilers.  Code moves, so an address may be of several; the last one wins.
 *
 * Whoever runs the process chose every byte.
 */
#ifndef XENOPROF_AGENT_JIT_MAP_H
#define XENOPROF_AGENT_JIT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/vector.h"

#define JIT_FUNCTIONS_MAX 65536u
#define JIT_LINE_MAX      4096u

struct jit_function {
    uint64_t start, size;
    uint32_t name;   /* where in names */
    uint32_t number; /* in the order of the file */
};

/* All zeroes: nothing was read. */
struct jit_map {
    struct {
        VECTOR(struct jit_function);
    } functions;         /* by start, then number, once sorted */
    struct buffer names; /* zero-terminated */
    uint64_t refused;    /* functions for which there was no room */
    bool sorted;
};

/* Adds a function, whose name has so many letters; nothing if it has no code.
 */
void jit_map_put(struct jit_map *map, uint64_t start, uint64_t size,
                 const char *name, size_t length);
/* Adds the whole lines of size bytes of a map as text: START SIZE NAME, both
 * numbers in hexadecimal.  Returns how many bytes these are; a line that is too
 * long, or not of this form, is passed over. */
size_t jit_map_add(struct jit_map *map, const char *bytes, size_t size);
/* Returns the function that has the address, or NULL. */
const struct jit_function *jit_map_find(struct jit_map *map, uint64_t address);
/* Returns how many functions begin from start on and before end, and where the
 * first of them is: by start, those at one address as they were added.  Good
 * until one is added. */
size_t jit_map_within(struct jit_map *map, uint64_t start, uint64_t end,
                      const struct jit_function **ret);
const char *jit_map_name(const struct jit_map *map,
                         const struct jit_function *function);
size_t jit_map_bytes(const struct jit_map *map);
/* An empty map is left. */
void jit_map_free(struct jit_map *map);

#endif
