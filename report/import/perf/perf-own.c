/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf-own.h"

#include "base/must.h"
#include "base/scope.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_PID   100000u /* report/export/export-threads.c */
#define NUMBERS_MAX 32767u  /* above: no domain's */

struct perf_own_domain {
    uint32_t pid; /* the key */
    uint16_t number;
};

void perf_own_init(struct perf_own *own)
{
    table_init(&own->domains, sizeof(uint32_t), sizeof(struct perf_own_domain));
}

void perf_own_free(struct perf_own *own)
{
    table_free(&own->domains);
}

const char *perf_own_name(struct perf_own *own, struct sink *sink, uint32_t pid,
                          const char *name)
{
    const size_t length = strcspn(name, "/");
    const size_t before = own->domains.count;
    struct perf_own_domain *domain = must(table_put(&own->domains, &pid));
    char *called SCOPE_FREE = must(strndup(name, length));
    const struct sink_domain is = {
        .name = called,
        .numbered = pid >= FIRST_PID && pid - FIRST_PID < NUMBERS_MAX,
        .number = (uint16_t)(pid - FIRST_PID),
    };

    if ( own->domains.count > before )
        domain->number = sink_domain(sink, &is);
    return name[length] ? name + length + 1 : "";
}

bool perf_own_domain(const struct perf_own *own, uint32_t pid, uint16_t *ret)
{
    const struct perf_own_domain *domain = table_find(&own->domains, &pid);

    if ( domain )
        *ret = domain->number;
    return domain;
}
