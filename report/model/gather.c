/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gather.h"

#include "account.h"
#include "areas.h"
#include "load.h"
#include "sessions.h"

#include <stdlib.h>

enum exit_status gather(struct gathered_session *gathered,
                        const struct query *query, const char *session,
                        struct failure *failure)
{
    struct loaded *loaded = &gathered->loaded;

    if ( !loaded_init(loaded) )
        return fail_memory(failure);
    loaded->timeline.wanted = query->needs_times;
    if ( session_find(query->session_dir, session, &gathered->path, failure) ||
         kernels_open(&gathered->kernels,
                      (const char *const *)query->guest_kernels, failure) ||
         load_session(loaded, gathered->path, &query->selection.range,
                      query->needs_stacks, failure) ||
         name_cells(loaded, &gathered->kernels, failure) )
        return failure->status;
    areas_find(loaded);
    if ( query->needs_stacks &&
         !stacks_build(&gathered->stacks, loaded, &gathered->kernels,
                       query_detail(query)) )
        return fail_memory(failure);
    if ( !account_time(loaded) ||
         !focus_apply(&query->focus, loaded, &gathered->stacks) )
        return fail_memory(failure);
    gathered->whole = true;
    return selection_apply(&query->selection, loaded, failure);
}

void gathered_free(struct gathered_session *gathered)
{
    kernels_close(&gathered->kernels);
    stacks_free(&gathered->stacks);
    loaded_free(&gathered->loaded);
    free(gathered->path);
}
