/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page-again.h"

#include "base/must.h"
#include "base/scope.h"

#include <stdlib.h>
#include <string.h>

bool page_again(const struct report *report, const struct query *query,
                struct gathered_session *ret)
{
    struct failure failure = {.status = STATUS_DONE};
    const char *here = strchr(report->path, '/') ? "" : "./";
    char *path SCOPE_FREE = must_text("%s%s", here, report->path);

    *ret = (struct gathered_session){.whole = false};
    gather(ret, query, path, &failure);
    return !failure.status;
}
