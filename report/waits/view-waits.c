/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --waits: how long each vCPU ran, and what it waited for;
 * xenopreport-json(5) describes the object.
 */
#include "base/must.h"
#include "waits-text.h"
#include "report/text/header.h"
#include "report/text/json-members.h"
#include "report/text/json-session.h"
#include "report/text/layout.h"
#include "base/scope.h"
#include "report/model/format.h"

#include <stdlib.h>

static void add_part(struct sheet *sheet, const struct vcpu_times *times,
                     const char *title, const char *key, uint64_t part)
{
    sheet_number(sheet, title, key, part,
                 must_text("%.1f%%", waits_percent(times, part)));
}

/* What a guest waits for that is others' or an administrator's to give. */
static void add_marked(struct sheet *sheet, const struct vcpu_times *times,
                       const char *title, const char *key, uint64_t part)
{
    double share = waits_percent(times, part);

    sheet_number(
        sheet, title, key, part,
        must_text("%s%.1f%%", share > WAITS_MARKED ? "! " : "", share));
}

/* Takes over who. */
static void add_times_cells(struct sheet *sheet, const struct vcpu_times *times,
                            char *who)
{
    sheet_count(sheet, NULL, "known_ns", times->span);
    add_part(sheet, times, "running", "running_ns", times->running);
    add_marked(sheet, times, "runnable", "runnable_ns", times->runnable);
    add_marked(sheet, times, "capped", "capped_ns", times->capped);
    add_part(sheet, times, "blocked", "blocked_ns", times->blocked);
    add_part(sheet, times, "device", "device_ns", times->device);
    add_part(sheet, times, "paused", "paused_ns", times->paused);
    sheet_number(sheet, "of", NULL, 0, format_seconds(times->span));
    sheet_words(sheet, "domain and vCPU", true, who);
    if ( sheet->json )
        json_put_bool(sheet->json, "marked", waits_marked(times));
}

static void add_vcpu(struct sheet *sheet, const struct waiting_vcpu *vcpu)
{
    sheet_row(sheet, true);
    sheet_count(sheet, NULL, "vcpu", vcpu->key.vcpu);
    sheet_count(sheet, NULL, "there_ns", vcpu->to - vcpu->from);
    add_times_cells(sheet, &vcpu->times, must_text("  v%u", vcpu->key.vcpu));
    sheet_row_end(sheet);
}

/* A domain's only vCPU is what the domain is. */
static char *domain_or_vcpu(const struct loaded *loaded,
                            const struct waits_row *row)
{
    char *name SCOPE_FREE = waits_domain_text(loaded, row->domain);

    return row->domain->vcpus > 1
               ? must_text("%s", name)
               : must_text("%s v%u", name, row->vcpu->key.vcpu);
}

/* Returns the first row of the next domain. */
static size_t add_waits_domain(struct sheet *sheet, const struct loaded *loaded,
                               const struct waits_row *rows, size_t at)
{
    const struct waiting_domain *domain = rows[at].domain;

    sheet_row(sheet, false);
    waits_put_domain(sheet, loaded, domain->key.uuid, domain->key.domain);
    add_times_cells(sheet, &domain->times, domain_or_vcpu(loaded, &rows[at]));
    sheet_rows(sheet, "vcpus");
    for ( ; rows[at].domain == domain; at++ )
        if ( sheet->json || domain->vcpus > 1 )
            add_vcpu(sheet, rows[at].vcpu);
    sheet_rows_end(sheet);
    sheet_row_end(sheet);
    return at;
}

static void fill_waits(struct sheet *sheet, const struct loaded *loaded)
{
    struct waits_row *rows SCOPE_FREE = waits_sorted(&loaded->waits);

    sheet_rows(sheet, "domains");
    for ( size_t at = 0; at < loaded->waits.vcpus.count; )
        at = add_waits_domain(sheet, loaded, rows, at);
    sheet_rows_end(sheet);
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
    const struct loaded *loaded = report->loaded;
    struct sheet sheet = {.json = NULL}, lengths = {.json = NULL};
    struct profile profile;

    profile_by_domain(&profile, loaded);
    header_print(report, &profile, file);
    fputc('\n', file);
    fill_waits(&sheet, loaded);
    grid_print_table(&sheet.grid, report->layout->width, true, file);
    if ( loaded->lengths.rows.count )
    {
        fputs("\neach wait for a pCPU, by Xen's traces:\n", file);
        waits_fill_lengths(&lengths, loaded);
        grid_print_table(&lengths.grid, report->layout->width, true, file);
    }
    print_missing(&loaded->waits, file);
    profile_free(&profile);
}

static void print_waits_json(const struct report *report, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    struct profile profile;
    struct json json;
    struct sheet sheet = {.json = &json};

    profile_by_domain(&profile, loaded);
    json_begin_report(&json, report, &profile, file);
    json_put_number(&json, "missing_ns", waits_missing(&loaded->waits));
    fill_waits(&sheet, loaded);
    waits_fill_lengths(&sheet, loaded);
    json_end_report(&json);
    profile_free(&profile);
}

const struct view view_waits = {
    .print = print_waits,
    .print_json = print_waits_json,
    .expect = waits_expect,
    .option = "waits",
    .what = "how long each vCPU ran, and what it waited for",
    .accounts = true,
};
