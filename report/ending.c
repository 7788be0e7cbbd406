/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ending.h"

#include "base/must.h"
#include "base/read-progress.h"
#include "output.h"
#include "pager.h"
#include "report/browse/browse-screen.h"
#include "report/archive/archive.h"
#include "report/import/import-folder.h"
#include "report/live/live-terminal.h"

#include <stdio.h>

static void end_with_sentence(const char *sentence)
{
    read_progress_clear();
    live_terminal_restore();
    browse_screen_leave();
    output_give_up();
    archive_give_up();
    pager_give_up();
    import_folders_give_up();
    fprintf(stderr, "xenopreport: %s\n", sentence);
}

void ending_begin(void)
{
    no_memory_ends(end_with_sentence);
}
