/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel-fact.h"

#include <session-facts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MISSING "none: "

const char *const kernel_fact_keys[KERNEL_FACT_KEYS] = {
    [KERNEL_RELEASE] = "release",
    [KERNEL_BUILD_ID] = "build-id",
    [KERNEL_BASE] = "base",
    [KERNEL_SYMBOLS] = "symbols",
    [KERNEL_MODULES] = "modules",
    [KERNEL_ORC_ROWS] = "orc-rows",
    [KERNEL_ORC_LAYOUT] = "orc-layout",
    [KERNEL_FRAME_POINTERS] = "frame-pointers",
    [KERNEL_FOUND] = "found",
    [KERNEL_CHECKED] = "checked",
};

static void take_word(struct kernel_fact *fact, char *word)
{
    char *value = strchr(word, '=');

    if ( !value )
        return;
    *value++ = '\0';
    for ( unsigned int i = 0; i < KERNEL_FACT_KEYS; i++ )
        if ( !strcmp(word, kernel_fact_keys[i]) && strcmp(value, "-") )
            fact->value[i] = value;
}

bool kernel_fact_read(const struct recording *recording, uint32_t domain,
                      struct kernel_fact *ret)
{
    const struct domain *known = recording_domain(recording, domain);
    const char *text = names_text(&recording->names, known->kernel);
    char *word, *rest;

    *ret = (struct kernel_fact){0};
    ret->text = text && *text ? strdup(text) : NULL;
    if ( !ret->text )
        return false;
    if ( !strncmp(ret->text, MISSING, strlen(MISSING)) )
    {
        ret->missing = ret->text + strlen(MISSING);
        return true;
    }
    for ( word = strtok_r(ret->text, " ", &rest); word;
          word = strtok_r(NULL, " ", &rest) )
        take_word(ret, word);
    return true;
}

void kernel_fact_free(struct kernel_fact *fact)
{
    free(fact->text);
}

static bool is(const struct kernel_fact *fact, enum kernel_fact_key key,
               const char *wanted)
{
    return fact->value[key] && !strcmp(fact->value[key], wanted);
}

static void put_walked(const struct kernel_fact *fact, FILE *file)
{
    const char *rows = fact->value[KERNEL_ORC_ROWS];

    if ( rows && strcmp(rows, "0") )
        fprintf(file, ", %s ORC rows%s%s%s", rows,
                fact->value[KERNEL_ORC_LAYOUT] ? " (layout of " : "",
                fact->value[KERNEL_ORC_LAYOUT] ? fact->value[KERNEL_ORC_LAYOUT]
                                               : "",
                fact->value[KERNEL_ORC_LAYOUT] ? ")" : "");
    else if ( is(fact, KERNEL_FRAME_POINTERS, "yes") )
        fputs(", frame pointers", file);
    else
        fputs(", no way to walk its stacks", file);
}

static void put_found(const struct kernel_fact *fact, FILE *file)
{
    const char *release = fact->value[KERNEL_RELEASE];

    fprintf(file, "%s%s", release ? "Linux " : "release not known",
            release ? release : "");
    if ( fact->value[KERNEL_BASE] )
        fprintf(file, " at %s", fact->value[KERNEL_BASE]);
    if ( fact->value[KERNEL_FOUND] )
        fprintf(file, ", %s",
                is(fact, KERNEL_FOUND, "file") ? "from a file"
                                               : "found in its memory");
    put_walked(fact, file);
    if ( fact->value[KERNEL_SYMBOLS] )
        fprintf(file, ", %s symbols", fact->value[KERNEL_SYMBOLS]);
    if ( fact->value[KERNEL_MODULES] )
        fprintf(file, ", %s modules", fact->value[KERNEL_MODULES]);
    if ( is(fact, KERNEL_CHECKED, "no") )
        fputs(", names not checked against what runs", file);
    if ( fact->value[KERNEL_BUILD_ID] )
        fprintf(file, ", build-id %s", fact->value[KERNEL_BUILD_ID]);
}

char *kernel_fact_text(const struct kernel_fact *fact)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    if ( !file )
        return NULL;
    if ( fact->missing )
        fprintf(file, "not found: %s", fact->missing);
    else
        put_found(fact, file);
    if ( fclose(file) )
    {
        free(text);
        return NULL;
    }
    return text;
}
