/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Type information made by a test, type after type, as a kernel's build writes
 * it.  A failure ends the program.
 */
#ifndef XENOPROF_TESTS_UNIT_GUEST_BTF_BTF_KIT_H
#define XENOPROF_TESTS_UNIT_GUEST_BTF_BTF_KIT_H

#include <stddef.h>

#include "guest/btf/btf.h"

#define BTF_KIT_ADDRESS 0xffffffff83000000ull

/* All zero is an empty one. */
struct btf_kit {
    uint8_t *types, *strings;
    uint32_t types_size, strings_size;
    uint32_t count; /* of types */
    uint8_t *bytes; /* all of it, once it has ended */
    size_t size;
    struct guest_memory memory; /* which has it at BTF_KIT_ADDRESS */
};

/* Each adds a type and returns its number.  name NULL: without one. */
uint32_t btf_kit_type(struct btf_kit *kit, const char *name, uint32_t kind,
                      uint32_t members, uint32_t size);
uint32_t btf_kit_int(struct btf_kit *kit, const char *name, uint32_t size);
uint32_t btf_kit_array(struct btf_kit *kit, uint32_t of, uint32_t count);
uint32_t btf_kit_pointer(struct btf_kit *kit, uint32_t to);

/* The next member of the structure that was added last. */
void btf_kit_member(struct btf_kit *kit, const char *name, uint32_t type,
                    uint32_t offset);
/* A member of some bits; the structure's kind is BTF_STRUCT | BTF_KIT_BITS. */
#define BTF_KIT_BITS 0x80u
void btf_kit_bits(struct btf_kit *kit, const char *name, uint32_t type,
                  uint32_t bit, uint32_t bits);

/* Makes the bytes of all that was added, in memory with that budget. */
void btf_kit_end(struct btf_kit *kit, uint64_t budget);
/* Takes bytes as they are instead; they are copied. */
void btf_kit_take(struct btf_kit *kit, const void *bytes, size_t size,
                  uint64_t budget);
void btf_kit_free(struct btf_kit *kit);

#endif
