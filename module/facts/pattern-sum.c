/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the expressions of a pattern (pattern.h) by recursive descent. */
#include "pattern-words.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

static uint8_t new_node(struct pattern_parser *parser, enum pattern_kind kind)
{
    struct pattern *pattern = parser->pattern;

    if ( pattern->node_count == PATTERN_NODES_MAX )
    {
        parser_fail(parser, -EINVAL);
        return 0;
    }
    pattern->nodes[pattern->node_count].kind = kind;

    return pattern->node_count++;
}

/* After the opening bracket. */
static uint8_t parse_load(struct pattern_parser *parser)
{
    uint8_t node = new_node(parser, PATTERN_LOAD);
    uint8_t address = parser_sum(parser);

    parser_expect(parser, "]");
    parser->pattern->nodes[node].left = address;
    parser->pattern->nodes[node].width = parser_width(parser);

    return node;
}

/* [stack_end - @cpu_info_current_vcpu] */
static uint8_t make_current(struct pattern_parser *parser)
{
    struct pattern_node *nodes = parser->pattern->nodes;
    uint8_t load = new_node(parser, PATTERN_LOAD);
    uint8_t sum = new_node(parser, PATTERN_SUM);
    uint8_t end = new_node(parser, PATTERN_LEAF);
    uint32_t distance = parser->known->cpu_info_current_vcpu;

    if ( distance == XENOPROF_FACT_ABSENT )
        parser_fail(parser, -EAGAIN);
    nodes[end].value = VALUE_STACK_END;
    nodes[sum].left = end;
    nodes[sum].number = -(int64_t)distance;
    nodes[load].left = sum;
    nodes[load].width = 8;

    return load;
}

static uint8_t make_leaf(struct pattern_parser *parser, enum value_kind kind,
                         int64_t number)
{
    uint8_t node = new_node(parser, PATTERN_LEAF);

    parser->pattern->nodes[node].value = kind;
    parser->pattern->nodes[node].number = number;

    return node;
}

static uint8_t parse_operation(struct pattern_parser *parser,
                               enum value_kind kind)
{
    uint8_t node = new_node(parser, PATTERN_BINARY);
    uint8_t left = parser_sum(parser), right = 0;

    if ( kind != VALUE_NOT )
    {
        parser_expect(parser, ",");
        right = parser_sum(parser);
    }
    parser_expect(parser, ")");
    parser->pattern->nodes[node].value = kind;
    parser->pattern->nodes[node].left = left;
    parser->pattern->nodes[node].right = right;

    return node;
}

static uint8_t parse_scaled(struct pattern_parser *parser,
                            enum pattern_kind kind)
{
    parser_expect(parser, "?)");

    return new_node(parser, kind);
}

static uint8_t parse_result(struct pattern_parser *parser)
{
    uint8_t node = new_node(parser, PATTERN_RESULT);

    parser_name(parser, parser->pattern->nodes[node].name);
    parser_expect(parser, ")");

    return node;
}

/* Parses a part of a sum: not a number, a fact or the question mark. */
static uint8_t parse_base(struct pattern_parser *parser)
{
    static const struct {
        const char *name;
        enum value_kind kind;
    } operations[] = {
        {"shl(", VALUE_SHIFT_LEFT}, {"shr(", VALUE_SHIFT_RIGHT},
        {"and(", VALUE_AND},        {"or(", VALUE_OR},
        {"xor(", VALUE_XOR},        {"mul(", VALUE_PRODUCT},
        {"not(", VALUE_NOT},        {"minus(", VALUE_DIFFERENCE},
    };

    for ( size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++ )
        if ( parser_accept(parser, operations[i].name) )
            return parse_operation(parser, operations[i].kind);
    if ( parser_accept(parser, "[") )
        return parse_load(parser);
    if ( parser_accept(parser, "result(") )
        return parse_result(parser);
    if ( parser_accept(parser, "log2(") )
        return parse_scaled(parser, PATTERN_LOG2);
    if ( parser_accept(parser, "ones(") )
        return parse_scaled(parser, PATTERN_ONES);
    if ( parser_accept(parser, "stack_end") )
        return make_leaf(parser, VALUE_STACK_END, 0);
    if ( parser_accept(parser, "current") )
        return make_current(parser);
    if ( parser_accept(parser, "any") )
        return new_node(parser, PATTERN_ANY);
    if ( parser_accept(parser, "arg") && *parser->text >= '1' &&
         *parser->text <= '6' )
        return make_leaf(parser, VALUE_ARGUMENT, *parser->text++ - '0');
    parser_fail(parser, -EINVAL);

    return 0;
}

/* Adds a part to a sum; bases counts the parts that are not constants. */
static void parse_part(struct pattern_parser *parser, uint8_t sum, int sign,
                       unsigned int *bases)
{
    struct pattern_node *nodes = parser->pattern->nodes;
    char *end;

    parser_skip_space(parser);
    if ( isdigit((unsigned char)*parser->text) )
    {
        uint64_t number = strtoull(parser->text, &end, 0);

        nodes[sum].number += sign * (int64_t)number;
        parser->text = end;
    }
    else if ( parser_accept(parser, "@") )
        nodes[sum].number += sign * parser_fact(parser);
    else if ( parser_accept(parser, "?") )
        nodes[sum].unknown += sign;
    else if ( parser_accept(parser, "&") )
        parser_name(parser, nodes[sum].name);
    else
    {
        uint8_t base = parse_base(parser);

        if ( *bases && nodes[base].kind == PATTERN_ANY )
            nodes[sum].slack = true;
        else if ( sign < 0 || *bases == 2 )
            parser_fail(parser, -EINVAL);
        else if ( (*bases)++ )
        {
            uint8_t both = new_node(parser, PATTERN_BINARY);

            nodes[both].value = VALUE_SUM;
            nodes[both].left = nodes[sum].left;
            nodes[both].right = base;
            nodes[sum].left = both;
        }
        else
            nodes[sum].left = base;
    }
}

uint8_t parser_sum(struct pattern_parser *parser)
{
    struct pattern_node *node;
    unsigned int bases = 0;
    uint8_t sum = new_node(parser, PATTERN_SUM);
    int sign = 1;

    do
    {
        parse_part(parser, sum, sign, &bases);
        sign = parser_accept(parser, "+")   ? 1
               : parser_accept(parser, "-") ? -1
                                            : 0;
    } while ( sign && !parser->error );

    node = &parser->pattern->nodes[sum];
    if ( !bases )
        node->left = PATTERN_NODES_MAX;
    if ( node->unknown < -1 || node->unknown > 1 ||
         (node->unknown && node->slack) )
        parser_fail(parser, -EINVAL);

    return sum;
}
