/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that one process compiled itself, by its jitdump file: records
 * for profilers, with the code in them, which is not read.  The form is that of
 * Linux, tools/perf/Documentation/jitdump-specification.txt.
 *
 * Whoever runs the process chose every byte.
 */
#ifndef XENOPROF_AGENT_JIT_DUMP_H
#define XENOPROF_AGENT_JIT_DUMP_H

#include "base/table.h"
#include "jit-map.h"

/* Such a file will not be understood later, either. */
#define JIT_DUMP_BROKEN SIZE_MAX

/* All zeroes: nothing was read. */
struct jit_dump {
    struct jit_map map;
    struct table
        loads;  /* names by the number that their code was loaded with */
    bool begun; /* the file's head was read */
};

/* Adds the record, or the head of the file, that begins with these bytes, where
 * the file has left bytes from there on.  Returns how many bytes the record
 * has, which may be more than size; 0 if it is not whole; or JIT_DUMP_BROKEN.
 */
size_t jit_dump_add(struct jit_dump *dump, const char *bytes, size_t size,
                    size_t left);
size_t jit_dump_bytes(const struct jit_dump *dump);
/* An empty one is left. */
void jit_dump_free(struct jit_dump *dump);

#endif
