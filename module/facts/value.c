/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes values, in one canonical shape each, and compares them. */
#include "value.h"

#include <errno.h>

/* Bounds for one function; beyond them values become unknown.  The depth bounds
 * value_equal(), which may visit 2^depth values. */
#define POOL_MAX  (1u << 18)
#define DEPTH_MAX 12

#define STACK_SIZE 0x8000

int value_pool_init(struct value_pool *pool)
{
    *pool = (struct value_pool){0};

    return vector_add(pool) ? 0 : -ENOMEM; /* the unknown value */
}

void value_pool_free(struct value_pool *pool)
{
    vector_free(pool);
}

void value_pool_reset(struct value_pool *pool)
{
    pool->count = 1;
}

const struct value *value_get(const struct value_pool *pool, value_id id)
{
    return &pool->items[id < pool->count ? id : 0];
}

static value_id add_pool_value(struct value_pool *pool,
                               const struct value *value)
{
    struct value made = *value, *added;
    unsigned int left = value_get(pool, made.left)->depth;
    unsigned int right = value_get(pool, made.right)->depth;

    made.depth = (left > right ? left : right) + 1;
    if ( made.depth > DEPTH_MAX || pool->count == POOL_MAX )
        return 0;
    added = vector_add(pool);
    if ( !added )
        return 0;
    *added = made;

    return pool->count - 1;
}

value_id value_leaf(struct value_pool *pool, enum value_kind kind,
                    int64_t number)
{
    return add_pool_value(pool,
                          &(struct value){.kind = kind, .number = number});
}

value_id value_constant(struct value_pool *pool, int64_t number)
{
    return value_leaf(pool, VALUE_CONSTANT, number);
}

/* Adds and wraps, as the machine does. */
static int64_t wrap_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

value_id value_plus(struct value_pool *pool, value_id left, int64_t number)
{
    const struct value *value = value_get(pool, left);

    if ( value->kind == VALUE_UNKNOWN || !number )
        return left;
    if ( value->kind == VALUE_CONSTANT )
        return value_constant(pool, wrap_add(value->number, number));
    if ( value->kind == VALUE_PLUS )
    {
        number = wrap_add(value->number, number);
        left = value->left;
        if ( !number )
            return left;
    }

    return add_pool_value(
        pool,
        &(struct value){.kind = VALUE_PLUS, .left = left, .number = number});
}

value_id value_load(struct value_pool *pool, value_id address, uint8_t width)
{
    if ( !address )
        return 0;

    return add_pool_value(
        pool,
        &(struct value){.kind = VALUE_LOAD, .left = address, .width = width});
}

static int64_t calculate(enum value_kind kind, int64_t left, int64_t right)
{
    uint64_t a = left, b = right;

    switch ( kind )
    {
    case VALUE_DIFFERENCE: return a - b;
    case VALUE_AND: return a & b;
    case VALUE_OR: return a | b;
    case VALUE_XOR: return a ^ b;
    case VALUE_SHIFT_LEFT: return a << (b & 63);
    case VALUE_SHIFT_RIGHT: return a >> (b & 63);
    case VALUE_PRODUCT: return a * b;
    default: return a + b;
    }
}

static bool is_own_stack(const struct value_pool *pool, value_id id)
{
    int64_t number;

    return value_get(pool, value_split(pool, id, &number))->kind ==
           VALUE_ENTRY_STACK;
}

/* Xen finds the end of its stack by rounding the stack pointer. */
static value_id round_stack(struct value_pool *pool, enum value_kind kind,
                            value_id left, value_id right)
{
    const struct value *mask = value_get(pool, right);

    if ( mask->kind != VALUE_CONSTANT || !is_own_stack(pool, left) )
        return 0;
    if ( kind == VALUE_OR && mask->number == STACK_SIZE - 1 )
        return value_plus(pool, value_leaf(pool, VALUE_STACK_END, 0), -1);
    if ( kind == VALUE_AND && mask->number == -STACK_SIZE )
        return value_plus(pool, value_leaf(pool, VALUE_STACK_END, 0),
                          -STACK_SIZE);

    return 0;
}

static bool is_commutative(enum value_kind kind)
{
    return kind == VALUE_SUM || kind == VALUE_AND || kind == VALUE_OR ||
           kind == VALUE_XOR || kind == VALUE_PRODUCT;
}

value_id value_operation(struct value_pool *pool, enum value_kind kind,
                         value_id left, value_id right)
{
    struct value a = *value_get(pool, left), b = *value_get(pool, right);
    value_id rounded;

    if ( a.kind == VALUE_CONSTANT && b.kind == VALUE_CONSTANT )
        return value_constant(pool, calculate(kind, a.number, b.number));
    if ( a.kind == VALUE_CONSTANT && is_commutative(kind) )
        return value_operation(pool, kind, right, left);
    if ( kind == VALUE_SUM && b.kind == VALUE_CONSTANT )
        return value_plus(pool, left, b.number);
    if ( kind == VALUE_DIFFERENCE && b.kind == VALUE_CONSTANT )
        return value_plus(pool, left, (int64_t) - (uint64_t)b.number);
    /* Constants go to the outside, so that every sum has one shape. */
    if ( kind == VALUE_SUM && a.kind == VALUE_PLUS )
        return value_plus(pool, value_operation(pool, kind, a.left, right),
                          a.number);
    if ( kind == VALUE_SUM && b.kind == VALUE_PLUS )
        return value_plus(pool, value_operation(pool, kind, left, b.left),
                          b.number);
    rounded = round_stack(pool, kind, left, right);
    if ( rounded )
        return rounded;
    /* In a sum, an unknown part does not hide what the known part is for. */
    if ( kind != VALUE_SUM && !left )
        return 0;
    if ( kind == VALUE_SUM && !left && !right )
        return 0;

    return add_pool_value(
        pool, &(struct value){.kind = kind, .left = left, .right = right});
}

bool value_equal(const struct value_pool *pool, value_id left, value_id right)
{
    const struct value *a = value_get(pool, left);
    const struct value *b = value_get(pool, right);

    if ( a->kind != b->kind || a->kind == VALUE_UNKNOWN ||
         a->number != b->number || a->width != b->width )
        return false;
    if ( a->kind >= VALUE_PLUS && !value_equal(pool, a->left, b->left) )
        return false;

    return a->kind < VALUE_SUM || value_equal(pool, a->right, b->right);
}

value_id value_split(const struct value_pool *pool, value_id id,
                     int64_t *number)
{
    const struct value *value = value_get(pool, id);

    *number = 0;
    if ( value->kind == VALUE_PLUS )
    {
        *number = value->number;
        return value->left;
    }
    if ( value->kind == VALUE_CONSTANT )
    {
        *number = value->number;
        return 0;
    }

    return id;
}
