/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects statements on facts, and judges them. */
#include "evidence.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Two functions; or the debug information, whose build-id was compared. */
#define WEIGHT_NEEDED   2
#define WEIGHT_OF_DWARF WEIGHT_NEEDED

/* A line names so many sources of one value; the others are counted. */
#define SOURCES_NAMED 3

static bool is_same_statement(const struct facts_statement *a,
                              const struct facts_statement *b)
{
    return a->fact == b->fact && a->value == b->value &&
           a->function == b->function;
}

int facts_evidence_add(struct facts_evidence *evidence,
                       const struct facts_statement *statement)
{
    struct facts_statement *added;

    for ( size_t i = 0; i < evidence->count; i++ )
        if ( is_same_statement(&evidence->items[i], statement) )
            return 0;

    added = vector_add(evidence);
    if ( !added )
        return -ENOMEM;
    *added = *statement;

    return 0;
}

void facts_evidence_free(struct facts_evidence *evidence)
{
    vector_free(evidence);
}

void facts_evidence_judge(const struct facts_evidence *evidence,
                          enum xenoprof_fact fact,
                          struct facts_verdict *verdict)
{
    *verdict = (struct facts_verdict){0};
    for ( size_t i = 0; i < evidence->count; i++ )
    {
        const struct facts_statement *statement = &evidence->items[i];

        if ( statement->fact != fact )
            continue;
        if ( !verdict->weight )
            verdict->value = statement->value;
        if ( statement->value == verdict->value )
            verdict->weight += statement->function ? 1 : WEIGHT_OF_DWARF;
        else
            verdict->disagree = true;
    }
}

void facts_evidence_settle(const struct facts_evidence *evidence,
                           struct xenoprof_facts *facts)
{
    facts_clear(facts);
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
    {
        struct facts_verdict verdict;

        facts_evidence_judge(evidence, i, &verdict);
        if ( verdict.weight >= WEIGHT_NEEDED && !verdict.disagree )
            *facts_slot(facts, i) = verdict.value;
    }
}

static void __attribute__((format(printf, 3, 4)))
append(char *line, size_t size, const char *format, ...)
{
    size_t used = strlen(line);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line + used, size - used, format, arguments);
    va_end(arguments);
}

static void append_source(const struct facts_statement *statement, char *line,
                          size_t size)
{
    if ( statement->function )
        append(line, size, "%s+%#llx", xen_bare_name(statement->function->name),
               (unsigned long long)(statement->address -
                                    statement->function->address));
    else
        append(line, size, "DWARF");
}

/* Prints all sources that state the same value as the first of them. */
static void print_value(const struct facts_evidence *evidence,
                        const struct facts_statement *first, char *line,
                        size_t size)
{
    unsigned int sources = 0;

    append(line, size, "%u: ", first->value);
    for ( size_t i = 0; i < evidence->count; i++ )
    {
        const struct facts_statement *statement = &evidence->items[i];

        if ( statement->fact != first->fact ||
             statement->value != first->value )
            continue;
        if ( sources && sources < SOURCES_NAMED )
            append(line, size, ", ");
        if ( sources++ < SOURCES_NAMED )
            append_source(statement, line, size);
    }
    if ( sources > SOURCES_NAMED )
        append(line, size, " and %u more", sources - SOURCES_NAMED);
}

static bool is_first_of_value(const struct facts_evidence *evidence, size_t at)
{
    for ( size_t i = 0; i < at; i++ )
        if ( evidence->items[i].fact == evidence->items[at].fact &&
             evidence->items[i].value == evidence->items[at].value )
            return false;

    return true;
}

void facts_evidence_print(const struct facts_evidence *evidence,
                          enum xenoprof_fact fact, char *line, size_t size)
{
    bool any = false;

    for ( size_t i = 0; i < evidence->count; i++ )
    {
        if ( evidence->items[i].fact != fact ||
             !is_first_of_value(evidence, i) )
            continue;
        append(line, size, any ? "; " : "");
        print_value(evidence, &evidence->items[i], line, size);
        any = true;
    }
}
