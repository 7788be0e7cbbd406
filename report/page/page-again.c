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

uint32_t page_again_domain(const struct loaded *page,
                           const struct loaded *other, uint32_t domain)
{
    const struct loaded_domain *of;

    if ( domain <= DOMAIN_INDEX_IDLE )
        return domain;
    of = table_find(&page->domains, &loaded_domain(other, domain)->key);
    return of ? (uint32_t)table_index(&page->domains, of) : DOMAIN_INDEX_OTHER;
}
