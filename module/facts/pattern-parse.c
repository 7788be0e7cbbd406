/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the language of pattern.h by recursive descent. */
#include "pattern.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct pattern_parser {
    const char *text;
    struct pattern *pattern;
    const struct xenoprof_facts *known;
    int error;
};

static uint8_t parse_sum(struct pattern_parser *parser);

static void fail(struct pattern_parser *parser, int error)
{
    if ( !parser->error )
        parser->error = error;
}

static void skip_space(struct pattern_parser *parser)
{
    while ( *parser->text == ' ' )
        parser->text++;
}

static bool accept(struct pattern_parser *parser, const char *token)
{
    size_t length = strlen(token);

    skip_space(parser);
    if ( strncmp(parser->text, token, length) )
        return false;
    parser->text += length;

    return true;
}

static void expect(struct pattern_parser *parser, const char *token)
{
    if ( !accept(parser, token) )
        fail(parser, -EINVAL);
}

static uint8_t new_node(struct pattern_parser *parser, enum pattern_kind kind)
{
    struct pattern *pattern = parser->pattern;

    if ( pattern->node_count == PATTERN_NODES_MAX )
    {
        fail(parser, -EINVAL);
        return 0;
    }
    pattern->nodes[pattern->node_count].kind = kind;

    return pattern->node_count++;
}

/* Length of a word like a name in C; a "*" may follow it. */
static size_t word_length(const char *text)
{
    size_t length = 0;

    while ( isalnum((unsigned char)text[length]) || text[length] == '_' ||
            text[length] == '.' )
        length++;

    return length;
}

static void take_name(struct pattern_parser *parser, char *name)
{
    size_t length;

    skip_space(parser);
    length = word_length(parser->text);
    if ( parser->text[length] == '*' )
        length++;
    if ( !length || length >= PATTERN_NAME_MAX )
    {
        fail(parser, -EINVAL);
        return;
    }
    memcpy(name, parser->text, length);
    name[length] = '\0';
    parser->text += length;
}

static uint8_t parse_width(struct pattern_parser *parser)
{
    char *end;
    unsigned long width;

    if ( *parser->text != ':' )
        return 0;
    width = strtoul(parser->text + 1, &end, 10);
    if ( width != 1 && width != 2 && width != 4 && width != 8 )
        fail(parser, -EINVAL);
    parser->text = end;

    return width;
}

/* After the opening bracket. */
static uint8_t parse_load(struct pattern_parser *parser)
{
    uint8_t node = new_node(parser, PATTERN_LOAD);
    uint8_t address = parse_sum(parser);

    expect(parser, "]");
    parser->pattern->nodes[node].left = address;
    parser->pattern->nodes[node].width = parse_width(parser);

    return node;
}

/* The value of the fact whose name follows the @. */
static int64_t parse_fact(struct pattern_parser *parser)
{
    size_t length = word_length(parser->text);
    enum xenoprof_fact fact = facts_index(parser->text, length);
    uint32_t value;

    if ( fact == XENOPROF_FACT_COUNT )
    {
        fail(parser, -EINVAL);
        return 0;
    }
    parser->text += length;
    value = facts_value(parser->known, fact);
    if ( value == XENOPROF_FACT_ABSENT )
        fail(parser, -EAGAIN);

    return value;
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
        fail(parser, -EAGAIN);
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
    uint8_t left = parse_sum(parser), right = 0;

    if ( kind != VALUE_NOT )
    {
        expect(parser, ",");
        right = parse_sum(parser);
    }
    expect(parser, ")");
    parser->pattern->nodes[node].value = kind;
    parser->pattern->nodes[node].left = left;
    parser->pattern->nodes[node].right = right;

    return node;
}

static uint8_t parse_scaled(struct pattern_parser *parser,
                            enum pattern_kind kind)
{
    expect(parser, "?)");

    return new_node(parser, kind);
}

static uint8_t parse_result(struct pattern_parser *parser)
{
    uint8_t node = new_node(parser, PATTERN_RESULT);

    take_name(parser, parser->pattern->nodes[node].name);
    expect(parser, ")");

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
        if ( accept(parser, operations[i].name) )
            return parse_operation(parser, operations[i].kind);
    if ( accept(parser, "[") )
        return parse_load(parser);
    if ( accept(parser, "result(") )
        return parse_result(parser);
    if ( accept(parser, "log2(") )
        return parse_scaled(parser, PATTERN_LOG2);
    if ( accept(parser, "ones(") )
        return parse_scaled(parser, PATTERN_ONES);
    if ( accept(parser, "stack_end") )
        return make_leaf(parser, VALUE_STACK_END, 0);
    if ( accept(parser, "current") )
        return make_current(parser);
    if ( accept(parser, "any") )
        return new_node(parser, PATTERN_ANY);
    if ( accept(parser, "arg") && *parser->text >= '1' && *parser->text <= '6' )
        return make_leaf(parser, VALUE_ARGUMENT, *parser->text++ - '0');
    fail(parser, -EINVAL);

    return 0;
}

/* Adds a part to a sum; bases counts the parts that are not constants. */
static void parse_part(struct pattern_parser *parser, uint8_t sum, int sign,
                       unsigned int *bases)
{
    struct pattern_node *nodes = parser->pattern->nodes;
    char *end;

    skip_space(parser);
    if ( isdigit((unsigned char)*parser->text) )
    {
        uint64_t number = strtoull(parser->text, &end, 0);

        nodes[sum].number += sign * (int64_t)number;
        parser->text = end;
    }
    else if ( accept(parser, "@") )
        nodes[sum].number += sign * parse_fact(parser);
    else if ( accept(parser, "?") )
        nodes[sum].unknown += sign;
    else if ( accept(parser, "&") )
        take_name(parser, nodes[sum].name);
    else
    {
        uint8_t base = parse_base(parser);

        if ( *bases && nodes[base].kind == PATTERN_ANY )
            nodes[sum].slack = true;
        else if ( sign < 0 || *bases == 2 )
            fail(parser, -EINVAL);
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

static uint8_t parse_sum(struct pattern_parser *parser)
{
    struct pattern_node *node;
    unsigned int bases = 0;
    uint8_t sum = new_node(parser, PATTERN_SUM);
    int sign = 1;

    do
    {
        parse_part(parser, sum, sign, &bases);
        sign = accept(parser, "+") ? 1 : accept(parser, "-") ? -1 : 0;
    } while ( sign && !parser->error );

    node = &parser->pattern->nodes[sum];
    if ( !bases )
        node->left = PATTERN_NODES_MAX;
    if ( node->unknown < -1 || node->unknown > 1 ||
         (node->unknown && node->slack) )
        fail(parser, -EINVAL);

    return sum;
}

static void add_operand(struct pattern_parser *parser)
{
    struct pattern *pattern = parser->pattern;
    uint8_t node = parse_sum(parser);

    if ( pattern->operand_count == CODE_ARGUMENTS )
        fail(parser, -EINVAL);
    else
        pattern->operands[pattern->operand_count++] = node;
}

static void parse_access(struct pattern_parser *parser, bool write)
{
    expect(parser, "[");
    add_operand(parser);
    expect(parser, "]");
    parser->pattern->width = parse_width(parser);
    if ( write )
    {
        expect(parser, "=");
        add_operand(parser);
    }
}

/* After the opening parenthesis. */
static void parse_arguments(struct pattern_parser *parser)
{
    do
        add_operand(parser);
    while ( accept(parser, ",") && !parser->error );
    expect(parser, ")");
}

static void parse_event(struct pattern_parser *parser)
{
    static const struct {
        const char *word;
        enum code_event_kind event;
    } words[] = {
        {"read ", CODE_READ},    {"write ", CODE_WRITE},
        {"test ", CODE_TEST},    {"compare ", CODE_COMPARE},
        {"call ", CODE_CALL},    {"rsp =", CODE_RSP_SET},
        {"cr3 =", CODE_CR3_SET}, {"svm ", CODE_SVM},
        {"copy(", CODE_COPY},    {"vmwrite ", CODE_VMWRITE},
    };
    size_t i = 0;

    while ( i < sizeof(words) / sizeof(*words) &&
            !accept(parser, words[i].word) )
        i++;
    if ( i == sizeof(words) / sizeof(*words) )
    {
        fail(parser, -EINVAL);
        return;
    }
    parser->pattern->event = words[i].event;

    switch ( words[i].event )
    {
    case CODE_READ:
    case CODE_WRITE: parse_access(parser, words[i].event == CODE_WRITE); break;
    case CODE_CALL:
        take_name(parser, parser->pattern->callee);
        expect(parser, "(");
        parse_arguments(parser);
        break;
    case CODE_COPY: parse_arguments(parser); break;
    case CODE_TEST:
    case CODE_COMPARE:
    case CODE_VMWRITE:
        add_operand(parser);
        expect(parser, ",");
        add_operand(parser);
        break;
    default: add_operand(parser); break;
    }
}

int pattern_parse(struct pattern *pattern, const char *text,
                  const struct xenoprof_facts *known)
{
    struct pattern_parser parser = {
        .text = text,
        .pattern = pattern,
        .known = known,
    };

    memset(pattern, 0, sizeof(*pattern));
    pattern->except = XENOPROF_FACT_ABSENT;
    if ( accept(&parser, "except @") )
        pattern->except = parse_fact(&parser);
    pattern->first = accept(&parser, "first ");
    parse_event(&parser);
    skip_space(&parser);
    if ( *parser.text )
        fail(&parser, -EINVAL);

    return parser.error;
}
