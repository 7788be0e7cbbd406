/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel-attribute.h"

#include "base/must.h"
#include "format.h"
#include "libxenoprof/session/session-attributes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MISSING "none: "

const char *const kernel_attribute_keys[KERNEL_ATTRIBUTE_KEYS] = {
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
    [KERNEL_TASKS] = "tasks",
};

bool kernel_attribute_read(const struct loaded *loaded, uint32_t domain,
                           struct kernel_attribute *ret)
{
    const struct loaded_domain *known = loaded_domain(loaded, domain);
    const char *text = names_text(&loaded->names, known->kernel);
    char *word, *rest;

    *ret = (struct kernel_attribute){0};
    ret->text = text && *text ? must(strdup(text)) : NULL;
    if ( !ret->text )
        return false;
    if ( !strncmp(ret->text, MISSING, strlen(MISSING)) )
    {
        ret->missing = ret->text + strlen(MISSING);
        return true;
    }
    for ( word = strtok_r(ret->text, " ", &rest); word;
          word = strtok_r(NULL, " ", &rest) )
    {
        char *value = strchr(word, '=');

        if ( !value )
            continue;
        *value++ = '\0';
        for ( unsigned int i = 0; i < KERNEL_ATTRIBUTE_KEYS; i++ )
            if ( !strcmp(word, kernel_attribute_keys[i]) && strcmp(value, "-") )
                ret->value[i] = value;
    }
    return true;
}

void kernel_attribute_free(struct kernel_attribute *attribute)
{
    free(attribute->text);
}

static bool is(const struct kernel_attribute *attribute,
               enum kernel_attribute_key key, const char *wanted)
{
    return attribute->value[key] && !strcmp(attribute->value[key], wanted);
}

static void put_found(const struct kernel_attribute *attribute, FILE *file)
{
    const char *release = attribute->value[KERNEL_RELEASE];
    const char *rows = attribute->value[KERNEL_ORC_ROWS];

    fprintf(file, "%s%s", release ? "Linux " : "release not known",
            release ? release : "");
    if ( attribute->value[KERNEL_BASE] )
        fprintf(file, " at %s", attribute->value[KERNEL_BASE]);
    if ( attribute->value[KERNEL_FOUND] )
        fprintf(file, ", %s",
                is(attribute, KERNEL_FOUND, "file") ? "from a file"
                                                    : "found in its memory");
    if ( rows && strcmp(rows, "0") )
        fprintf(file, ", stacks by its %s",
                is(attribute, KERNEL_ORC_LAYOUT, "cfi")
                    ? "call frame information"
                    : "ORC table");
    else if ( is(attribute, KERNEL_FRAME_POINTERS, "yes") )
        fputs(", frame pointers", file);
    else
        fputs(", no way to walk its stacks", file);
    if ( attribute->value[KERNEL_SYMBOLS] )
        fprintf(file, ", %s symbols", attribute->value[KERNEL_SYMBOLS]);
    if ( attribute->value[KERNEL_MODULES] )
        fprintf(file, ", %s modules", attribute->value[KERNEL_MODULES]);
    if ( is(attribute, KERNEL_CHECKED, "no") )
        fputs(", names not checked against what runs", file);
    if ( attribute->value[KERNEL_TASKS] &&
         !is(attribute, KERNEL_TASKS, "known") )
        fprintf(file, ", its processes are not known (%s)",
                attribute->value[KERNEL_TASKS]);
}

char *kernel_attribute_text(const struct kernel_attribute *attribute)
{
    char *text = NULL;
    size_t size;
    FILE *file = must(open_memstream(&text, &size));

    if ( attribute->missing )
        fprintf(file, "not found: %s", attribute->missing);
    else
        put_found(attribute, file);
    return format_close(file, &text);
}
