/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read-progress.h"

#include <inttypes.h>
#include <unistd.h>

#define NS_PER_S 1000000000u
#define AGAIN    (NS_PER_S / 4)

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
         (progress->shown && now - progress->said < AGAIN) )
        return;
    fprintf(progress->file, "\r%" PRIu64 " samples read ...", samples);
    fflush(progress->file);
    progress->said = now;
    progress->shown = true;
}

/* The screen may be narrower than what is cleared; a few blanks are not. */
void read_progress_end(struct read_progress *progress)
{
    if ( !progress->shown )
        return;
    fprintf(progress->file, "\r%40s\r", "");
    fflush(progress->file);
    progress->shown = false;
}
