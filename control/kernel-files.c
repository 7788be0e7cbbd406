/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DOM:FILE pairs: checked, kept as given, and matched with domains. */
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "kernel-files.h"
#include "protocol.h"

#define OPTION "guest-kernel"

void kernel_files_free(struct kernel_files *files)
{
    for ( unsigned int i = 0; i < files->count; i++ )
        free(files->texts[i]);
    *files = (struct kernel_files){0};
}

int kernel_files_add(struct kernel_files *files, const char *text,
                     struct failure *failure)
{
    const char *colon = strchr(text, ':');

    if ( !colon || colon == text || colon[1] != '/' )
        return fail(failure, STATUS_USAGE,
                    "--" OPTION "=%s is not DOM:FILE: give a domain's number "
                    "or name, a colon, and a file whose path begins with '/'",
                    text);
    if ( colon - text >= DOMAIN_NAME_MAX || strlen(colon + 1) >= PATH_MAX )
        return fail(failure, STATUS_RANGE, "--" OPTION "=%s is too long", text);
    if ( files->count == KERNEL_FILES_MAX )
        return fail(failure, STATUS_RANGE,
                    "--" OPTION " can be given at most %u times; a name with * "
                    "stands for many domains",
                    KERNEL_FILES_MAX);
    files->texts[files->count] = strdup(text);
    if ( !files->texts[files->count] )
        return fail_memory(failure);
    files->count++;
    return 0;
}

static bool matches(const char *text, const char *file,
                    const struct listed_domain *domain)
{
    char pattern[DOMAIN_NAME_MAX], number[8];

    snprintf(pattern, sizeof(pattern), "%.*s", (int)(file - text) - 1, text);
    snprintf(number, sizeof(number), "%u", domain->id);
    return strcmp(pattern, number) == 0 ||
           (domain->name[0] && fnmatch(pattern, domain->name, 0) == 0);
}

const char *kernel_files_find(const struct kernel_files *files,
                              const struct listed_domain *domain)
{
    for ( unsigned int i = 0; i < files->count; i++ )
    {
        const char *file = strchr(files->texts[i], ':') + 1;

        if ( matches(files->texts[i], file, domain) )
            return file;
    }
    return NULL;
}

void kernel_files_put(const struct kernel_files *files, FILE *file)
{
    for ( unsigned int i = 0; i < files->count; i++ )
        line_text(file, OPTION, files->texts[i]);
}
