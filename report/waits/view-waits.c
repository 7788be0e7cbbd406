/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --waits: how long each vCPU ran, and what it waited for.
 */
#include "base/must.h"
#include "waits-text.h"
#include "report/text/grid.h"
#include "report/text/header.h"
#include "report/text/layout.h"
#include "base/scope.h"
#include "report/model/format.h"

#include <stdlib.h>

static char *time_percent(const struct vcpu_times *times, uint64_t part)
{
    return must_text("%.1f%%", waits_percent(times, part));
}

/* What a guest waits for that is others' or an administrator's to give. */
static char *marked(const struct vcpu_times *times, uint64_t part)
{
    double share = waits_percent(times, part);

    return must_text("%s%.1f%%", share > WAITS_MARKED ? "! " : "", share);
}

/* Takes over who. */
static void add_waits_row(struct grid *grid, const struct vcpu_times *times,
                          char *who)
{
    grid_add(grid, time_percent(times, times->running));
    grid_add(grid, marked(times, times->runnable));
    grid_add(grid, marked(times, times->capped));
    grid_add(grid, time_percent(times, times->blocked));
    grid_add(grid, time_percent(times, times->device));
    grid_add(grid, time_percent(times, times->paused));
    grid_add(grid, format_seconds(times->span));
    grid_add(grid, who);
}

/* A domain's only vCPU is what the domain is. */
static void add_waits_domain(struct grid *grid, const struct loaded *loaded,
                             const struct waits_row *row)
{
    char *name SCOPE_FREE = waits_domain_text(loaded, row->domain);
    char *who = row->domain->vcpus > 1
                    ? must_text("%s", name)
                    : must_text("%s v%u", name, row->vcpu->key.vcpu);

    add_waits_row(grid, &row->domain->times, who);
}

static void add_waits_rows(struct grid *grid, const struct loaded *loaded,
                           const struct waits_row *rows)
{
    for ( size_t i = 0; i < loaded->waits.vcpus.count; i++ )
    {
        if ( !i || rows[i].domain != rows[i - 1].domain )
            add_waits_domain(grid, loaded, &rows[i]);
        if ( rows[i].domain->vcpus > 1 )
            add_waits_row(grid, &rows[i].vcpu->times,
                          must_text("  v%u", rows[i].vcpu->key.vcpu));
    }
}

static void print_waits_table(const struct report *report, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    struct waits_row *rows SCOPE_FREE = waits_sorted(&loaded->waits);
    struct grid grid = {.column_count = 0};

    grid_column(&grid, "running", true, false);
    grid_column(&grid, "runnable", true, false);
    grid_column(&grid, "capped", true, false);
    grid_column(&grid, "blocked", true, false);
    grid_column(&grid, "device", true, false);
    grid_column(&grid, "paused", true, false);
    grid_column(&grid, "of", true, false);
    grid_column(&grid, "domain and vCPU", false, true);
    add_waits_rows(&grid, loaded, rows);
    grid_print_table(&grid, report->layout->width, true, file);
}

static void print_missing(const struct waits *waits, FILE *file)
{
    uint64_t missing = waits_missing(waits);
    char text[CLOCK_TEXT];

    if ( !missing )
        return;
    clock_format_length(missing, text);
    fprintf(file,
            "\npartial: of %s of vCPUs' time nothing is known (xenoprofd was "
            "killed,\nor a part of the session cannot be read)\n",
            text);
}

static void print_waits(const struct report *report, FILE *file)
{
    struct profile profile = {.time_all = 0};

    profile_by_domain(&profile, report->loaded);
    header_print(report, &profile, file);
    fputc('\n', file);
    print_waits_table(report, file);
    waits_print_lengths(report, file);
    print_missing(&report->loaded->waits, file);
    profile_free(&profile);
}

const struct view view_waits = {
    .print = print_waits,
    .expect = waits_expect,
    .option = "waits",
    .what = "how long each vCPU ran, and what it waited for",
    .accounts = true,
};
