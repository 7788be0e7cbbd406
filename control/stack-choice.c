/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include <xenoprof/record.h>

#include "stack-choice.h"

static const struct {
    const char *word;
    unsigned int choice;
    uint32_t parts;
} words[] = {
    {"xen", STACKS_XEN, XENOPROF_PART_XEN_STACK},
    {"kernel", STACKS_KERNEL, XENOPROF_PART_WINDOW | XENOPROF_PART_WINDOW2},
    {"user", STACKS_USER, 0},
};

#define WORDS (sizeof(words) / sizeof(words[0]))

static unsigned int find_word(const char *text, size_t length)
{
    for ( size_t i = 0; i < WORDS; i++ )
        if ( strlen(words[i].word) == length &&
             strncmp(words[i].word, text, length) == 0 )
            return words[i].choice;
    return STACKS_NONE;
}

bool stack_choice_parse(const char *text, unsigned int *ret)
{
    unsigned int choice = STACKS_NONE;
    const char *at = text;

    while ( strcmp(text, "none") )
    {
        size_t length = strcspn(at, ",");
        unsigned int one = find_word(at, length);

        if ( one == STACKS_NONE )
            return false;
        choice |= one;
        at += length;
        if ( *at == '\0' )
            break;
        at++;
    }
    *ret = choice;
    return true;
}

bool stack_choice_format(unsigned int choice, char *text, size_t size)
{
    size_t used = 0;

    for ( size_t i = 0; i < WORDS; i++ )
    {
        int length;

        if ( !(choice & words[i].choice) )
            continue;
        length = snprintf(text + used, size - used, "%s%s", used ? "," : "",
                          words[i].word);
        if ( (size_t)length >= size - used )
            return false;
        used += (size_t)length;
    }
    return used || (size_t)snprintf(text, size, "none") < size;
}

uint32_t stack_choice_parts(unsigned int choice)
{
    uint32_t parts = 0;

    for ( size_t i = 0; i < WORDS; i++ )
        if ( choice & words[i].choice )
            parts |= words[i].parts;
    return parts;
}
