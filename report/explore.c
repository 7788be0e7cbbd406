/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explore.h"

#include "report/browse/browse.h"
#include "views.h"

enum exit_status explore(const struct report *report,
                         struct gathered_session *session,
                         const char *const *words, struct failure *failure)
{
    const struct browse_wanted wanted = {
        .report = report,
        .session = session,
        .view =
            {
#define BROWSE_FORM(name, kind, title) view_table[VIEW_##name].view,
#include "report/browse/browse-forms.def"
#undef BROWSE_FORM
            },
        .words = words,
    };

    return browse_run(&wanted, failure);
}
