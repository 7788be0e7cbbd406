/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line that is being parsed, word by word, and its expressions; for
 * pattern-*.c only. */
#ifndef XENOPROF_MODULE_FACTS_PATTERN_WORDS_H
#define XENOPROF_MODULE_FACTS_PATTERN_WORDS_H

#include "pattern.h"

struct pattern_parser {
    const char *text; /* what is left of the line */
    struct pattern *pattern;
    const struct xenoprof_facts *known;
    int error; /* the first one, see pattern_parse() */
};

void parser_fail(struct pattern_parser *parser, int error);

/* Skips blanks, and the token if it is there.  Returns whether it was. */
bool parser_accept(struct pattern_parser *parser, const char *token);
/* The same, and it must be there. */
void parser_expect(struct pattern_parser *parser, const char *token);
void parser_skip_space(struct pattern_parser *parser);

/* Takes a name of at most PATTERN_NAME_MAX bytes with the final zero; a "*" may
 * be its end. */
void parser_name(struct pattern_parser *parser, char *name);
/* Returns the width after a ":", or 0 if there is none. */
uint8_t parser_width(struct pattern_parser *parser);
/* Returns the value of the fact whose name comes next. */
int64_t parser_fact(struct pattern_parser *parser);

/* Returns the node of the expression that comes next; see pattern-sum.c. */
uint8_t parser_sum(struct pattern_parser *parser);

#endif
