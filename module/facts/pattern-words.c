/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes the words, names and numbers of a pattern off its line. */
#include "pattern-words.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void parser_fail(struct pattern_parser *parser, int error)
{
    if ( !parser->error )
        parser->error = error;
}

void parser_skip_space(struct pattern_parser *parser)
{
    while ( *parser->text == ' ' )
        parser->text++;
}

bool parser_accept(struct pattern_parser *parser, const char *token)
{
    size_t length = strlen(token);

    parser_skip_space(parser);
    if ( strncmp(parser->text, token, length) )
        return false;
    parser->text += length;

    return true;
}

void parser_expect(struct pattern_parser *parser, const char *token)
{
    if ( !parser_accept(parser, token) )
        parser_fail(parser, -EINVAL);
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

void parser_name(struct pattern_parser *parser, char *name)
{
    size_t length;

    parser_skip_space(parser);
    length = word_length(parser->text);
    if ( parser->text[length] == '*' )
        length++;
    if ( !length || length >= PATTERN_NAME_MAX )
    {
        parser_fail(parser, -EINVAL);
        return;
    }
    memcpy(name, parser->text, length);
    name[length] = '\0';
    parser->text += length;
}

uint8_t parser_width(struct pattern_parser *parser)
{
    char *end;
    unsigned long width;

    if ( *parser->text != ':' )
        return 0;
    width = strtoul(parser->text + 1, &end, 10);
    if ( width != 1 && width != 2 && width != 4 && width != 8 )
        parser_fail(parser, -EINVAL);
    parser->text = end;

    return width;
}

/* The value of the fact whose name follows the @. */
int64_t parser_fact(struct pattern_parser *parser)
{
    size_t length = word_length(parser->text);
    enum xenoprof_fact fact = facts_index(parser->text, length);
    uint32_t value;

    if ( fact == XENOPROF_FACT_COUNT )
    {
        parser_fail(parser, -EINVAL);
        return 0;
    }
    parser->text += length;
    value = facts_value(parser->known, fact);
    if ( value == XENOPROF_FACT_ABSENT )
        parser_fail(parser, -EAGAIN);

    return value;
}
