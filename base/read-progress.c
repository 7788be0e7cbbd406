/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read-progress.h"

#include <inttypes.h>
#include <unistd.h>

#define NS_PER_S 1000000000u
#define AGAIN    (NS_PER_S / 4)

static FILE *line_on; /* NULL: there is none */

FILE *read_progress_terminal(void)
{
    return isatty(STDERR_FILENO) ? stderr : NULL;
}

void read_progress_begin(struct read_progress *progress, FILE *file,
                         uint64_t now)
{
    *progress = (struct read_progress){.file = file, .begun = now};
}

void read_progress_step(struct read_progress *progress, uint64_t now,
                        uint64_t samples)
{
    if ( !progress->file || now - progress->begun < NS_PER_S ||
         (progress->shown && now - progress->printed < AGAIN) )
        return;
    fprintf(progress->file, "\r%" PRIu64 " samples read ...", samples);
    fflush(progress->file);
    progress->printed = now;
    progress->shown = true;
    line_on = progress->file;
}

/* The screen may be narrower than what is cleared; a few blanks are not. */
void read_progress_clear(void)
{
    if ( !line_on )
        return;
    fprintf(line_on, "\r%40s\r", "");
    fflush(line_on);
    line_on = NULL;
}

void read_progress_end(struct read_progress *progress)
{
    if ( progress->shown )
        read_progress_clear();
    progress->shown = false;
}
