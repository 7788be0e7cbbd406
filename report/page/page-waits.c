/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page-waits.h"

#include "base/scope.h"
#include "report/text/json-members.h"
#include "report/waits/waits-text.h"

#include <stdlib.h>

#define ROWS_MOST 200u /* a host may have thousands of vCPUs */

static void put_waits_row(struct json *json, const struct loaded *loaded,
                          const struct waits_row *row)
{
    const struct vcpu_times *times = &row->vcpu->times;
    char *domain SCOPE_FREE = waits_domain_text(loaded, row->domain);

    json_object_begin_flat(json);
    json_put_text(json, "domain", domain);
    json_put_number(json, "vcpu", row->vcpu->key.vcpu);
    json_put_number(json, "span_ns", times->span);
    json_put_number(json, "running_ns", times->running);
    json_put_number(json, "ready_ns", waits_ready(times));
    json_put_number(json, "blocked_ns", times->blocked);
    json_put_number(json, "device_ns", times->device);
    json_put_number(json, "paused_ns", times->paused);
    json_key(json, "marked");
    json_bool(json, waits_marked(times));
    json_object_end(json);
}

void page_waits_put(struct json *json, const struct report *report)
{
    const struct loaded *loaded = report->loaded;
    struct waits_row *rows SCOPE_FREE = waits_sorted(&loaded->waits);

    json_key(json, "waits");
    json_array_begin(json);
    for ( size_t i = 0; i < loaded->waits.vcpus.count && i < ROWS_MOST; i++ )
        put_waits_row(json, loaded, &rows[i]);
    json_array_end(json);
}
