/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that a session brings with it, and the source of its lines, so that it
 * can be shown where none of the files is.  A session may be anybody's: there
 * is a limit to all of it.
 */
#ifndef XENOPROF_REPORT_KEPT_KEPT_CODE_H
#define XENOPROF_REPORT_KEPT_KEPT_CODE_H

#include "base/names.h"
#include "base/table.h"
#include "base/vector.h"
#include <libxenoprof.h>

#define KEPT_FUNCTIONS_MAX    1024u
#define KEPT_BYTES_MAX        (16u << 20) /* of code */
#define KEPT_INSTRUCTIONS_MAX (1u << 19)
#define KEPT_SOURCES_MAX      (1u << 18) /* lines */

/* Of a function; its image and so on are numbers of the session's names. */
struct kept_instruction {
    uint64_t offset;
    uint64_t plus;       /* so far behind what is called name */
    uint32_t path, line; /* of source, up to the next of these; 0: not known */
    uint32_t name;       /* what it leads to; 0: its bytes say it */
};

struct kept_key {
    uint64_t start;
    uint32_t image, symbol;
    uint32_t domain; /* index; 0 for Xen's */
    uint32_t mode;
};

struct kept_function {
    struct kept_key key;
    uint8_t *bytes;
    uint32_t size;
    uint32_t length; /* of these its symbol has so many; 0: all */
    uint32_t file;   /* a name: where they are from */
    uint8_t from;    /* enum xenoprof_code_from */
    struct {
        VECTOR(struct kept_instruction);
    } instructions; /* by offset */
};

struct kept_source {
    struct {
        uint32_t path, line;
    } key;
    uint32_t text;
};

struct kept_code {
    struct table functions; /* struct kept_function */
    struct table sources;   /* struct kept_source */
    size_t bytes, instructions;
};

void kept_init(struct kept_code *kept);
void kept_free(struct kept_code *kept);

/* Takes what an item says; domain is an index, texts become names.  What is
 * beyond a limit, or of a function without code, is passed over. */
void kept_add(struct kept_code *kept, struct names *names, uint32_t domain,
              const struct xenoprof_item *item);

/* Each returns what there is, or NULL. */
const struct kept_function *kept_find(const struct kept_code *kept,
                                      const struct kept_key *key);
/* The last one at or before an offset. */
const struct kept_instruction *kept_instruction_at(
    const struct kept_function *function, uint64_t offset);
const char *kept_source_line(const struct kept_code *kept,
                             const struct names *names, const char *path,
                             uint32_t line);

#endif
