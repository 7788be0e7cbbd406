/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "warnings.h"

#include "base/scope.h"
#include "base/text.h"
#include "report/model/sessions.h"

#include <inttypes.h>
#include <stdlib.h>

void say(const char *what, const char *text)
{
    char *clean SCOPE_FREE = text_clean(text);

    fprintf(stderr, "xenopreport: %s%s\n", what, clean ? clean : "");
}

/* A kernel that names nothing is likely another one than the guest runs. */
static void warn_useless_kernels(const struct gathered_session *gathered)
{
    for ( size_t i = 0; i < gathered->kernels.count; i++ )
    {
        const struct named_kernel *kernel = &gathered->kernels.list[i];
        char text[512];

        if ( !kernel_useless(&gathered->loaded, kernel) )
            continue;
        snprintf(text, sizeof(text),
                 "%s names no address of domain %s: is it the kernel that "
                 "runs there, at the same addresses? (the guest's "
                 "/proc/kallsyms has both)",
                 kernel->file, kernel->domain);
        say("warning: ", text);
    }
}

/* A session of several files from which one was taken away reads well. */
static enum exit_status warn_missing(const struct gathered_session *gathered)
{
    uint64_t missing = loaded_unreadable(&gathered->loaded);

    if ( !missing || !session_has_folder(gathered->path) )
        return STATUS_DONE;
    fprintf(stderr,
            "xenopreport: damaged: %" PRIu64 " samples that the "
            "session counted are missing: is one of its files gone?\n",
            missing);
    return STATUS_DAMAGED;
}

static enum exit_status warn_damage(const struct gathered_session *gathered)
{
    const struct loaded *loaded = &gathered->loaded;

    if ( !loaded->damages )
        return warn_missing(gathered);
    for ( size_t i = 0; i < loaded->damages && i < DAMAGES_KEPT; i++ )
        say("damaged: ", loaded->damage[i] ? loaded->damage[i] : "");
    if ( loaded->damages > DAMAGES_KEPT )
        fprintf(stderr, "xenopreport: damaged: and %zu more parts\n",
                loaded->damages - DAMAGES_KEPT);
    return STATUS_DAMAGED;
}

enum exit_status warn_of_session(const struct gathered_session *gathered)
{
    warn_useless_kernels(gathered);
    return warn_damage(gathered);
}
