/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --diff with --waits: how long each vCPU waited for a pCPU, before and after.
 *
 * Xen's account is exact, so no share is uncertain.  But a guest waits longer
 * in one second than in another: the error is what the means of so many seconds
 * differ by on that ground, and a change is beyond it, by a z-test of the
 * seconds, or it is not.
 */
#include "base/must.h"
#include "base/scope.h"
#include "diff-header.h"
#include "diff-json.h"
#include "report/text/header-line.h"
#include "report/text/json-members.h"
#include "report/text/layout.h"
#include "report/waits/waits-text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MIN 10u      /* bins of each side; with fewer nothing is said */
#define QUANTILE    1.959964 /* of 95 %, as in noise.c */

/* What the bins of a vCPU say. */
struct waited_seconds {
    size_t count;
    double sum, squares; /* of shares */
};

struct changed_waiter {
    struct {
        uint32_t domain; /* its name, in diff_waits.names */
        uint32_t vcpu;
    } key;
    struct vcpu_times times[2];
    struct waited_seconds seconds[2];
    struct change change;
};

struct diff_waits {
    struct names names;
    struct table vcpus;                   /* struct changed_waiter */
    const struct changed_waiter **sorted; /* by change */
    struct diff_whole whole[2];
    size_t tested, beyond;
};

/* Numbers of domains are others in another session. */
static struct changed_waiter *changed_waiter(struct diff_waits *diff,
                                             const struct loaded *loaded,
                                             const struct waiting_vcpu *vcpu)
{
    const struct waiting_domain *domain = table_at(&loaded->waits.domains,
                                                   vcpu->domain);
    const char *name = names_text(&loaded->names, domain->name);
    char *text SCOPE_FREE = name && *name ? must(strdup(name))
                                          : waits_domain_text(loaded, domain);
    uint32_t key[2] = {0, vcpu->key.vcpu};

    must_do(names_add(&diff->names, text, &key[0]));
    return must(table_put(&diff->vcpus, key));
}

/* A second that is known for less than half says little. */
static void add_second(struct changed_waiter *to, unsigned int side,
                       const struct wait_bin *bin, uint64_t width)
{
    const double share = waits_percent(&bin->times, waits_ready(&bin->times)) /
                         100;

    if ( bin->times.span < width / 2 )
        return;
    to->seconds[side].count++;
    to->seconds[side].sum += share;
    to->seconds[side].squares += share * share;
}

static void add_waits_side(struct diff_waits *diff, const struct report *report,
                           unsigned int side)
{
    const struct waits *waits = &report->loaded->waits;

    for ( size_t i = 0; i < waits->vcpus.count; i++ )
    {
        const struct waiting_vcpu *vcpu = table_at(&waits->vcpus, i);
        struct changed_waiter *to = changed_waiter(diff, report->loaded, vcpu);

        vcpu_times_add(&to->times[side], &vcpu->times);
    }
    for ( size_t i = 0; i < waits->vcpu_bins.bins.count; i++ )
    {
        const struct wait_bin *bin = table_at(&waits->vcpu_bins.bins, i);
        const struct waiting_vcpu *vcpu = table_at(&waits->vcpus,
                                                   bin->key.whose);

        add_second(changed_waiter(diff, report->loaded, vcpu), side, bin,
                   waits->vcpu_bins.width);
    }
    diff->whole[side] = diff_whole(report->loaded);
}

/* Of the mean of so many seconds. */
static double mean_variance(const struct waited_seconds *seconds)
{
    const double n = (double)seconds->count, mean = seconds->sum / n;

    return fmax(0, seconds->squares / n - mean * mean) / (n - 1);
}

static double waited_share(const struct changed_waiter *waiter,
                           unsigned int side)
{
    const struct vcpu_times *times = &waiter->times[side];

    return waits_percent(times, waits_ready(times)) / 100;
}

/* Who was there on one side alone has not changed. */
static bool is_tested(const struct changed_waiter *waiter)
{
    return waiter->seconds[0].count >= SECONDS_MIN &&
           waiter->seconds[1].count >= SECONDS_MIN;
}

static void test_waiter(struct changed_waiter *waiter)
{
    struct change *change = &waiter->change;
    double variance, moved;

    *change = (struct change){.before = waited_share(waiter, 0),
                              .after = waited_share(waiter, 1),
                              .chance = 1};
    if ( !is_tested(waiter) )
        return;
    variance = mean_variance(&waiter->seconds[0]) +
               mean_variance(&waiter->seconds[1]);
    moved = fabs(change->after - change->before);
    change->error = QUANTILE * sqrt(variance);
    change->chance = variance > 0 ? erfc(moved / sqrt(2 * variance))
                     : moved > 0  ? 0
                                  : 1;
}

static int compare_waiters(const void *left, const void *right)
{
    const struct changed_waiter *a = *(
        const struct changed_waiter *const *)left;
    const struct changed_waiter *b = *(
        const struct changed_waiter *const *)right;
    const double by_a = fabs(change_percent(&a->change));
    const double by_b = fabs(change_percent(&b->change));

    if ( by_a != by_b )
        return by_a > by_b ? -1 : 1;
    if ( a->change.after != b->change.after )
        return a->change.after > b->change.after ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void test_waiters(struct diff_waits *diff)
{
    struct change **changes SCOPE_FREE = must(
        calloc(diff->vcpus.count + 1, sizeof(*changes)));

    for ( size_t i = 0; i < diff->vcpus.count; i++ )
    {
        struct changed_waiter *waiter = table_at(&diff->vcpus, i);

        test_waiter(waiter);
        diff->tested += is_tested(waiter);
        changes[i] = &waiter->change;
    }
    noise_mark(changes, diff->vcpus.count);
    for ( size_t i = 0; i < diff->vcpus.count; i++ )
        diff->beyond += changes[i]->beyond;
    diff->sorted = must(table_sorted(&diff->vcpus, compare_waiters));
}

static void build_diff_waits(struct diff_waits *diff,
                             const struct report *report)
{
    *diff = (struct diff_waits){.sorted = NULL};
    names_init(&diff->names);
    table_init(&diff->vcpus, sizeof(((struct changed_waiter *)0)->key),
               sizeof(struct changed_waiter));
    add_waits_side(diff, report->base, 0);
    add_waits_side(diff, report, 1);
    test_waiters(diff);
}

static void free_diff_waits(struct diff_waits *diff)
{
    free(diff->sorted);
    table_free(&diff->vcpus);
    names_free(&diff->names);
}

static void show_seconds(const struct report *report,
                         const struct diff_waits *diff, FILE *file)
{
    struct header_line line = header_line_begin(report, file);

    if ( !diff->tested )
        header_line_add(&line,
                        "changes are not tested: each side needs %u seconds; "
                        "Xen's account itself is exact",
                        SECONDS_MIN);
    else
        header_line_add(
            &line,
            "%zu of %zu changes are beyond it (*): z-test of each second's share, "
            "Benjamini-Hochberg at %g %%; Xen's account itself is exact",
            diff->beyond, diff->tested, 100 * NOISE_RATE);
    header_line_end(&line, "noise");
}

static bool was_there(const struct changed_waiter *waiter, unsigned int side)
{
    return waiter->times[side].span;
}

/* Of one that was there on one side alone there is no change. */
static void add_one_side(struct grid *grid, const struct changed_waiter *waiter)
{
    for ( unsigned int side = 0; side < 2; side++ )
        grid_add(grid,
                 was_there(waiter, side)
                     ? must_text("%.2f%%", 100 * waited_share(waiter, side))
                     : must(strdup("-")));
    for ( unsigned int empty = 0; empty < 3; empty++ )
        grid_add(grid, must(strdup("")));
}

static void add_waiter(struct grid *grid, const struct report *report,
                       const struct diff_waits *diff,
                       const struct changed_waiter *waiter)
{
    if ( was_there(waiter, 0) && was_there(waiter, 1) )
        diff_add_change(grid, report, &waiter->change, is_tested(waiter));
    else
        add_one_side(grid, waiter);
    grid_add(grid, must_text("%s v%" PRIu32,
                             names_text(&diff->names, waiter->key.domain),
                             waiter->key.vcpu));
}

static void print_diff_waits(const struct report *report, FILE *file)
{
    struct grid grid = {.column_count = 0};
    struct diff_waits diff;

    build_diff_waits(&diff, report);
    diff_header_sides(report, diff.whole, file);
    show_seconds(report, &diff, file);
    fputc('\n', file);
    for ( size_t i = 0; diff_titles[i]; i++ )
        grid_column(&grid, diff_titles[i], *diff_titles[i], false);
    grid_column(&grid, "waited for a pCPU", false, true);
    for ( size_t i = 0; i < diff.vcpus.count; i++ )
        add_waiter(&grid, report, &diff, diff.sorted[i]);
    grid_print_table(&grid, report->layout->width, diff.vcpus.count, file);
    free_diff_waits(&diff);
}

static void put_side(struct json *json, const char *key,
                     const struct changed_waiter *waiter, unsigned int side)
{
    const struct vcpu_times *times = &waiter->times[side];

    json_key(json, key);
    json_object_begin_flat(json);
    json_put_number(json, "known_ns", times->span);
    json_put_number(json, "running_ns", times->running);
    json_put_number(json, "runnable_ns", times->runnable);
    json_put_number(json, "capped_ns", times->capped);
    json_put_number(json, "blocked_ns", times->blocked);
    json_put_number(json, "device_ns", times->device);
    json_put_number(json, "paused_ns", times->paused);
    json_put_number(json, "seconds", waiter->seconds[side].count);
    json_object_end(json);
}

static void put_waiter(struct json *json, const struct diff_waits *diff,
                       const struct changed_waiter *waiter)
{
    json_object_begin_flat(json);
    json_put_text(json, "domain_name",
                  names_text(&diff->names, waiter->key.domain));
    json_put_number(json, "vcpu", waiter->key.vcpu);
    put_side(json, "was", waiter, 0);
    put_side(json, "is", waiter, 1);
    json_put_bool(json, "tested", is_tested(waiter));
    diff_json_shares(json, &waiter->change);
    json_object_end(json);
}

static void print_diff_waits_json(const struct report *report, FILE *file)
{
    struct diff_waits diff;
    struct json json;

    build_diff_waits(&diff, report);
    json_init(&json, file);
    diff_json_begin(&json, report, diff.whole, diff.beyond);
    json_begin_array(&json, "vcpus");
    for ( size_t i = 0; i < diff.vcpus.count; i++ )
        put_waiter(&json, &diff, diff.sorted[i]);
    json_array_end(&json);
    json_object_end(&json);
    json_finish(&json);
    free_diff_waits(&diff);
}

static enum exit_status expect_both(const struct report *report,
                                    struct failure *failure)
{
    return waits_expect(report->base, failure) ?: waits_expect(report, failure);
}

const struct view view_diff_waits = {
    .print = print_diff_waits,
    .print_json = print_diff_waits_json,
    .expect = expect_both,
    .waits = true,
    .accounts = true,
};
