/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What processes that compile code while they run say of it, as many as there
 * is room for: the one that was not asked for longest goes first.
 *
 * A map as text is /tmp/perf-PID.map below the root of its process, where PID
 * is the number that the process has for itself; a dump is where the process
 * says, by mapping it as code.  It must be a regular file of the process's own
 * user, no older than the process, and have at most JIT_MAP_MAX or JIT_DUMP_MAX
 * bytes.  Of what one user's processes say no more is read than takes a
 * fiftieth of the time; the rest is read later.
 */
#ifndef XENOPROF_AGENT_JIT_NAMES_H
#define XENOPROF_AGENT_JIT_NAMES_H

#include "jit-map.h"

#define JIT_PATH_MAX 256u
#define JIT_MAP_MAX  (16u << 20) /* bytes of a file */
#define JIT_DUMP_MAX (1u << 30)

struct jit_names;

struct jit_found {
    uint64_t start;
    const char *name; /* good until the next call */
    char path[JIT_PATH_MAX];
};

/* Holds so many bytes.  Returns NULL if there is no memory. */
struct jit_names *jit_names_open(size_t bytes);
/* Takes NULL. */
void jit_names_close(struct jit_names *names);

/* Returns true if code of that file is a sign that it is a dump. */
bool jit_names_is_dump(const char *path);
/* Returns true and the function that has the address in a process that goes on,
 * and has this dump (NULL: none), or in the one that it is a fork of.  now: ns,
 * to read what was added since, ten times a second at most. */
bool jit_names_find(struct jit_names *names, int32_t tgid, const char *dump,
                    uint64_t address, uint64_t now, struct jit_found *ret);

/* The same of the image (trampolines.h) that executable memory is; 0 if it is
 * none. */
uint64_t jit_names_image(struct jit_names *names, int32_t tgid,
                         const char *dump, uint64_t start, uint64_t end,
                         uint64_t now);

size_t jit_names_bytes(const struct jit_names *names);
/* Returns how many functions there was no room for, so far. */
uint64_t jit_names_refused(const struct jit_names *names);

#endif
