/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export.h"

#include <stdio.h>
#include <string.h>

#define LIST_MAX 256u

#define EXPORT_FORMAT(name, spelled) extern const struct view export_##name;
#include "formats.def"
#undef EXPORT_FORMAT

static const struct export_format {
    const char *name;
    const struct view *view;
} formats[] = {
#define EXPORT_FORMAT(name, spelled) {spelled, &export_##name},
#include "formats.def"
#undef EXPORT_FORMAT
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

static void list_formats(char list[LIST_MAX])
{
    size_t used = 0;

    for ( size_t i = 0; i < FORMATS && used < LIST_MAX; i++ )
        used += (size_t)snprintf(list + used, LIST_MAX - used, "%s%s",
                                 !i                 ? ""
                                 : i + 1 == FORMATS ? " or "
                                                    : ", ",
                                 formats[i].name);
}

enum exit_status export_find(const char *text, const struct view **view,
                             const char **file, struct failure *failure)
{
    const char *colon = strchr(text, ':');
    const size_t length = strcspn(text, ":");
    char list[LIST_MAX] = "";

    *file = colon ? colon + 1 : NULL;
    for ( size_t i = 0; i < FORMATS; i++ )
        if ( strlen(formats[i].name) == length &&
             !strncmp(formats[i].name, text, length) )
        {
            *view = formats[i].view;
            if ( !*file || **file )
                return STATUS_DONE;
            return fail(failure, STATUS_USAGE,
                        "--export=%s names no file: give one behind the colon",
                        text);
        }
    list_formats(list);
    return fail(failure, STATUS_USAGE,
                "--export: unknown format \"%.*s\": give %s", (int)length, text,
                list);
}

const struct view view_export = {
    .option = "export",
    .what = "samples for other tools: pprof and others, see xenopreport(1)",
    .argument = "FORMAT[:FILE]",
};
