/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far a request is. */
#include <inttypes.h>
#include <unistd.h>

#include "control/protocol.h"
#include "progress.h"

#define LINE_EACH 10u /* seconds */

void waiting_say(const struct status_waiting *waiting, char *text, size_t size)
{
    char left[48] = "";

    if ( waiting->left )
        snprintf(left, sizeof(left), ", at most %" PRIu64 " s more",
                 waiting->left);
    if ( waiting->sought )
        snprintf(text, size,
                 "before sampling the %s of %" PRIu64 " %s looked for%s",
                 waiting->sought == 1 ? "kernel" : "kernels", waiting->sought,
                 waiting->sought == 1 ? "domain is" : "domains are", left);
    else if ( waiting->samples )
        snprintf(text, size, "%" PRIu64 " %s for names of %" PRIu64 " %s%s",
                 waiting->samples,
                 waiting->samples == 1 ? "sample waits" : "samples wait",
                 waiting->guests, waiting->guests == 1 ? "domain" : "domains",
                 left);
    else
        snprintf(text, size, "the last samples and names are to come%s", left);
}

void progress_begin(struct progress *progress, FILE *file)
{
    *progress = (struct progress){
        .file = file,
        .terminal = isatty(fileno(file)),
    };
}

/* Lines that stay are not one a second. */
static bool is_too_soon(struct progress *progress,
                        const struct status_waiting *waiting)
{
    if ( !progress->terminal && waiting->left &&
         waiting->left + LINE_EACH > progress->left &&
         waiting->left < progress->left )
        return true;
    progress->left = waiting->left;
    return false;
}

void progress_show(struct progress *progress, const char *line)
{
    struct status_waiting waiting = {.state = ""};
    char text[160];
    int width;

    status_take_waiting(&waiting, line);
    if ( is_too_soon(progress, &waiting) )
        return;
    waiting_say(&waiting, text, sizeof(text));
    /* What is longer than this line is covered with spaces. */
    width = fprintf(
        progress->file, "%sxenopctl: %s%s", progress->terminal ? "\r" : "",
        line_is(waiting.state, "stopping") ? "stopping: " : "", text);
    if ( progress->terminal )
        fprintf(progress->file, "%*s",
                progress->width > width ? progress->width - width : 0, "");
    else
        fputc('\n', progress->file);
    fflush(progress->file);
    if ( width > progress->width )
        progress->width = width;
}

void progress_end(struct progress *progress)
{
    if ( progress->terminal && progress->width )
        fputc('\n', progress->file);
    progress->width = 0;
}
