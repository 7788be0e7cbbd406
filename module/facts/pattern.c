/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matches a parsed pattern against the events of one function. */
#include "pattern.h"

#include <string.h>

/* What the question mark stands for, in one attempt to match. */
struct binding {
    bool bound;
    int64_t offset;
};

struct matcher {
    const struct pattern *pattern;
    const struct code_tracer *tracer;
};

static bool match(const struct matcher *matcher, uint8_t index, value_id id,
                  struct binding *binding);

static bool bind(struct binding *binding, int64_t offset)
{
    if ( offset < 0 || offset > PATTERN_OFFSET_MAX ||
         (binding->bound && binding->offset != offset) )
        return false;
    binding->bound = true;
    binding->offset = offset;

    return true;
}

/* Compares a name with a pattern's, which may end in "*". */
static bool match_name(const char *pattern, const char *name)
{
    size_t length = strlen(pattern);

    if ( length && pattern[length - 1] == '*' )
        return !strncmp(pattern, name, length - 1);

    return !strcmp(pattern, name);
}

/* Several symbols may have one address; any of them will do. */
static bool match_symbol(const struct matcher *matcher, const char *pattern,
                         uint64_t address)
{
    const struct xen_image *image = matcher->tracer->image;
    const struct xen_symbol *symbol = xen_image_at(image, address);

    while ( symbol && symbol->address == address )
    {
        if ( match_name(pattern, xen_bare_name(symbol->name)) )
            return true;
        symbol = symbol == image->symbols ? NULL : symbol - 1;
    }

    return false;
}

static bool is_anything(const struct pattern *pattern,
                        const struct pattern_node *sum)
{
    return pattern->nodes[sum->left].kind == PATTERN_ANY && !sum->unknown &&
           !sum->number && !*sum->name;
}

static bool is_scaled(const struct pattern *pattern,
                      const struct pattern_node *sum)
{
    return pattern->nodes[sum->left].kind == PATTERN_LOG2 ||
           pattern->nodes[sum->left].kind == PATTERN_ONES;
}

/* Whether a number is ones up to some bit, and zeroes above. */
static bool is_mask(uint64_t number)
{
    return number && !(number & (number + 1));
}

static bool match_sum(const struct matcher *matcher,
                      const struct pattern_node *node, value_id id,
                      struct binding *binding)
{
    const struct value_pool *pool = &matcher->tracer->pool;
    int64_t number;
    value_id base = value_split(pool, id, &number);
    int64_t rest = (int64_t)((uint64_t)number - (uint64_t)node->number);

    if ( node->left == PATTERN_NODES_MAX )
    {
        if ( value_get(pool, id)->kind != VALUE_CONSTANT )
            return false;
    }
    else if ( is_anything(matcher->pattern, node) )
        return true;
    else if ( value_get(pool, id)->kind == VALUE_UNKNOWN )
        return false;
    else if ( is_scaled(matcher->pattern, node) )
        return match(matcher, node->left, id, binding);
    else if ( !match(matcher, node->left, base, binding) )
        return false;
    if ( node->slack )
        return true;
    if ( *node->name )
        return match_symbol(matcher, node->name, rest);

    return node->unknown ? bind(binding, node->unknown * rest) : !rest;
}

static bool is_commutative_pattern(enum value_kind kind)
{
    return kind != VALUE_DIFFERENCE && kind != VALUE_SHIFT_LEFT &&
           kind != VALUE_SHIFT_RIGHT && kind != VALUE_NOT;
}

static bool match_pair(const struct matcher *matcher, uint8_t a, uint8_t b,
                       const value_id values[2], struct binding *binding)
{
    struct binding attempt = *binding;

    if ( !match(matcher, a, values[0], &attempt) ||
         !match(matcher, b, values[1], &attempt) )
        return false;
    *binding = attempt;

    return true;
}

static bool match_either(const struct matcher *matcher, const uint8_t nodes[2],
                         const value_id values[2], struct binding *binding)
{
    return match_pair(matcher, nodes[0], nodes[1], values, binding) ||
           match_pair(matcher, nodes[1], nodes[0], values, binding);
}

static bool match_binary(const struct matcher *matcher,
                         const struct pattern_node *node, value_id id,
                         struct binding *binding)
{
    const struct value *value = value_get(&matcher->tracer->pool, id);
    const uint8_t nodes[2] = {node->left, node->right};
    const value_id values[2] = {value->left, value->right};

    if ( value->kind != node->value )
        return false;
    if ( node->value == VALUE_NOT )
        return match(matcher, node->left, value->left, binding);
    if ( is_commutative_pattern(node->value) )
        return match_either(matcher, nodes, values, binding);

    return match_pair(matcher, nodes[0], nodes[1], values, binding);
}

static bool match(const struct matcher *matcher, uint8_t index, value_id id,
                  struct binding *binding)
{
    const struct pattern_node *node = &matcher->pattern->nodes[index];
    const struct value *value = value_get(&matcher->tracer->pool, id);

    switch ( node->kind )
    {
    case PATTERN_ANY: return true;
    case PATTERN_SUM: return match_sum(matcher, node, id, binding);
    case PATTERN_BINARY: return match_binary(matcher, node, id, binding);
    case PATTERN_LEAF:
        return value->kind == node->value && value->number == node->number;
    case PATTERN_LOAD:
        return value->kind == VALUE_LOAD &&
               (!node->width || node->width == value->width) &&
               match(matcher, node->left, value->left, binding);
    case PATTERN_RESULT:
        return value->kind == VALUE_RESULT &&
               match_symbol(matcher, node->name, value->number);
    case PATTERN_LOG2:
        return value->kind == VALUE_CONSTANT && value->number >= 0 &&
               value->number < 16 && bind(binding, 1ll << value->number);
    case PATTERN_ONES:
        return value->kind == VALUE_CONSTANT && is_mask(value->number) &&
               bind(binding, __builtin_popcountll(value->number));
    default: return false;
    }
}

static bool match_callee(const struct matcher *matcher,
                         const struct code_event *event)
{
    const char *callee = matcher->pattern->callee;

    return !strcmp(callee, "*") || match_symbol(matcher, callee, event->target);
}

static bool match_arguments(const struct matcher *matcher,
                            const struct code_event *event,
                            struct binding *binding)
{
    const struct pattern *pattern = matcher->pattern;

    for ( uint8_t i = 0; i < pattern->operand_count; i++ )
        if ( !match(matcher, pattern->operands[i], event->arguments[i],
                    binding) )
            return false;

    return true;
}

static bool match_event(const struct matcher *matcher,
                        const struct code_event *event, struct binding *binding)
{
    const struct pattern *pattern = matcher->pattern;
    const value_id values[2] = {event->left, event->right};

    if ( event->kind != pattern->event ||
         (pattern->width && pattern->width != event->width) )
        return false;

    switch ( pattern->event )
    {
    case CODE_TEST:
    case CODE_COMPARE:
        return match_either(matcher, pattern->operands, values, binding);
    case CODE_WRITE:
    case CODE_VMWRITE:
        return match_pair(matcher, pattern->operands[0], pattern->operands[1],
                          values, binding);
    case CODE_CALL:
        return match_callee(matcher, event) &&
               match_arguments(matcher, event, binding);
    case CODE_COPY: return match_arguments(matcher, event, binding);
    default: return match(matcher, pattern->operands[0], event->left, binding);
    }
}

static bool is_excepted(const struct pattern *pattern, int64_t offset)
{
    for ( int i = 0; i < PATTERN_EXCEPT_MAX; i++ )
        if ( pattern->except[i] == offset )
            return true;

    return false;
}

void pattern_match(const struct pattern *pattern,
                   const struct code_tracer *tracer,
                   struct pattern_result *result)
{
    const struct matcher matcher = {.pattern = pattern, .tracer = tracer};

    *result = (struct pattern_result){0};
    for ( size_t i = 0; i < tracer->events.count; i++ )
    {
        struct binding binding = {0};

        if ( !match_event(&matcher, &tracer->events.items[i], &binding) ||
             !binding.bound || is_excepted(pattern, binding.offset) )
            continue;
        if ( !result->matches++ )
        {
            result->offset = binding.offset;
            result->address = tracer->events.items[i].address;
        }
        else if ( result->offset != binding.offset )
            result->contradicts = true;
        if ( pattern->first )
            return;
    }
}
