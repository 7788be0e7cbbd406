/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values in registers while code is traced, not run: expressions over the
 * arguments of a function, the end of the stack, and what was loaded from
 * memory.
 */
#ifndef XENOPROF_MODULE_FACTS_VALUE_H
#define XENOPROF_MODULE_FACTS_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"

enum value_kind {
    VALUE_UNKNOWN,
    VALUE_CONSTANT,    /* number */
    VALUE_ARGUMENT,    /* number: 1 to 6 */
    VALUE_ENTRY_STACK, /* stack pointer as the function was entered */
    VALUE_STACK_END,   /* end of this pCPU's stack */
    VALUE_RESULT,      /* of a call; number: address of the callee */
    VALUE_PLUS,        /* left + number */
    VALUE_LOAD,        /* width bytes at address left */
    VALUE_NOT,         /* ~left */
    VALUE_SUM,         /* left and right from here on */
    VALUE_DIFFERENCE,
    VALUE_AND,
    VALUE_OR,
    VALUE_XOR,
    VALUE_SHIFT_LEFT,
    VALUE_SHIFT_RIGHT,
    VALUE_PRODUCT,
};

/* Index of a value in the pool; 0 is always the unknown value. */
typedef uint32_t value_id;

struct value {
    enum value_kind kind;
    uint8_t width;
    uint8_t depth;
    value_id left;
    value_id right;
    int64_t number;
};

struct value_pool {
    VECTOR(struct value);
};

/* Returns 0 or -ENOMEM. */
int value_pool_init(struct value_pool *pool);
void value_pool_free(struct value_pool *pool);

/* Forgets all values; their ids are used again. */
void value_pool_reset(struct value_pool *pool);

const struct value *value_get(const struct value_pool *pool, value_id id);

/*
 * Each of these returns the unknown value if an operand is unknown, the
 * expression gets too deep, or there is no room: knowing less is never an
 * error.
 */
value_id value_leaf(struct value_pool *pool, enum value_kind kind,
                    int64_t number);
value_id value_constant(struct value_pool *pool, int64_t number);
value_id value_plus(struct value_pool *pool, value_id left, int64_t number);
value_id value_load(struct value_pool *pool, value_id address, uint8_t width);
value_id value_operation(struct value_pool *pool, enum value_kind kind,
                         value_id left, value_id right);

/* Whether two values are equal; an unknown value is equal to nothing, not even
 * itself. */
bool value_equal(const struct value_pool *pool, value_id left, value_id right);

/*
 * Splits a value into base + constant; the base of a mere constant is unknown.
 */
value_id value_split(const struct value_pool *pool, value_id id,
                     int64_t *number);

#endif /* XENOPROF_MODULE_FACTS_VALUE_H */
