/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses a line of the language of pattern.h: what kind of event it is, and
 * which expressions belong to it. */
#include "pattern-words.h"

#include <errno.h>
#include <string.h>

static void add_operand(struct pattern_parser *parser)
{
    struct pattern *pattern = parser->pattern;
    uint8_t node = parser_sum(parser);

    if ( pattern->operand_count == CODE_ARGUMENTS )
        parser_fail(parser, -EINVAL);
    else
        pattern->operands[pattern->operand_count++] = node;
}

static void parse_access(struct pattern_parser *parser, bool write)
{
    parser_expect(parser, "[");
    add_operand(parser);
    parser_expect(parser, "]");
    parser->pattern->width = parser_width(parser);
    if ( write )
    {
        parser_expect(parser, "=");
        add_operand(parser);
    }
}

/* After the opening parenthesis. */
static void parse_arguments(struct pattern_parser *parser)
{
    do
        add_operand(parser);
    while ( parser_accept(parser, ",") && !parser->error );
    parser_expect(parser, ")");
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
            !parser_accept(parser, words[i].word) )
        i++;
    if ( i == sizeof(words) / sizeof(*words) )
    {
        parser_fail(parser, -EINVAL);
        return;
    }
    parser->pattern->event = words[i].event;

    switch ( words[i].event )
    {
    case CODE_READ:
    case CODE_WRITE: parse_access(parser, words[i].event == CODE_WRITE); break;
    case CODE_CALL:
        parser_name(parser, parser->pattern->callee);
        parser_expect(parser, "(");
        parse_arguments(parser);
        break;
    case CODE_COPY: parse_arguments(parser); break;
    case CODE_TEST:
    case CODE_COMPARE:
    case CODE_VMWRITE:
        add_operand(parser);
        parser_expect(parser, ",");
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
    for ( int i = 0; i < PATTERN_EXCEPT_MAX; i++ )
        pattern->except[i] = parser_accept(&parser, "except @")
                                 ? parser_fact(&parser)
                                 : XENOPROF_FACT_ABSENT;
    pattern->first = parser_accept(&parser, "first ");
    parse_event(&parser);
    parser_skip_space(&parser);
    if ( *parser.text )
        parser_fail(&parser, -EINVAL);

    return parser.error;
}
