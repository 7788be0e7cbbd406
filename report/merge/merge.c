/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "merge.h"

#include "base/must.h"
#include "base/scope.h"
#include "libxenoprof/session/session-attributes.h"
#include "merge-match.h"
#include "merge-write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND      1000000000.0
#define OFFSET_MAX  1000000000.0                    /* s */
#define WALL_SLACK  (10 * (int64_t)XENOPROF_SECOND) /* of two hosts' clocks */
#define BETTER_THAN 10 /* one in so many is known better than by chance */

/* One merge. */
struct merge {
    const struct merge_wanted *wanted;
    struct merge_host host;
    struct merge_guest guest;
    uint16_t domain;
    struct clock_found clock;
    const char *how; /* the offset was found */
    struct merge_agreement agreement;
    uint64_t borrowed;
};

void merge_wanted_free(struct merge_wanted *wanted)
{
    free(wanted->domain);
    free(wanted->file);
}

static enum exit_status take_offset(struct merge_wanted *wanted,
                                    const char *text, struct failure *failure)
{
    char *end;
    double seconds = strtod(text, &end);

    if ( end == text || *end || !(fabs(seconds) <= OFFSET_MAX) )
        return fail(failure, STATUS_USAGE,
                    "--merge-offset: \"%s\" is not a number of seconds: give "
                    "what Xen's system time is ahead of perf's, as in 12.345 "
                    "or -3",
                    text);
    wanted->has_offset = true;
    wanted->offset = (int64_t)llround(seconds * SECOND);
    return STATUS_DONE;
}

enum exit_status merge_wanted_take(struct merge_wanted *wanted,
                                   const char *text, const char *offset,
                                   struct failure *failure)
{
    const char *colon = text ? strchr(text, ':') : NULL;

    if ( !text )
        return offset ? fail(failure, STATUS_USAGE,
                             "--merge-offset changes nothing without --merge: "
                             "add it, or leave out --merge-offset")
                      : STATUS_DONE;
    if ( !colon || colon == text || !colon[1] )
        return fail(failure, STATUS_USAGE,
                    "--merge: \"%s\" is not DOMAIN:FILE: give a domain, and "
                    "the file that perf record wrote in it",
                    text);
    wanted->domain = must(strndup(text, (size_t)(colon - text)));
    wanted->file = must(strdup(colon + 1));
    return offset ? take_offset(wanted, offset, failure) : STATUS_DONE;
}

/* Numbers of threads that the guest's file has. */
static struct table guest_threads(const struct merge_guest *guest)
{
    struct table threads;

    table_init(&threads, sizeof(uint32_t), sizeof(uint32_t));
    for ( size_t i = 0; i < guest->samples.count; i++ )
        if ( guest->samples.items[i].tid )
            must(table_put(&threads, &guest->samples.items[i].tid));
    return threads;
}

/* A guest that was rebooted is several domains: the file is of the one with
 * most samples of its threads.  Others' samples say nothing from here on. */
static bool choose_domain(struct merge *merge)
{
    struct table threads = guest_threads(&merge->guest);
    size_t *counts = must(calloc(MERGE_DOMAINS, sizeof(*counts)));
    size_t best = 0;

    for ( size_t i = 0; i < merge->host.samples.count; i++ )
    {
        const struct merge_sample *sample = &merge->host.samples.items[i];

        if ( sample->runs && table_find(&threads, &sample->tid) &&
             ++counts[sample->domain] > best )
        {
            best = counts[sample->domain];
            merge->domain = sample->domain;
        }
    }
    for ( size_t i = 0; i < merge->host.samples.count; i++ )
        merge->host.samples.items[i].runs &=
            merge->host.samples.items[i].domain == merge->domain;
    free(counts);
    table_free(&threads);
    return best;
}

static enum exit_status refuse_strangers(const struct merge *merge,
                                         struct failure *failure)
{
    return fail(failure, STATUS_NO_SYMBOL,
                "--merge: no thread of %s ran in samples of %s: is it of "
                "another guest, or another time, or was it recorded in a "
                "container, whose numbers of processes are its own?",
                merge->wanted->file, merge->wanted->domain);
}

/* Both sides know a time in UTC. */
static bool wall_offset(const struct merge *merge, int64_t *ret)
{
    const struct merge_host *host = &merge->host;
    const struct merge_guest *guest = &merge->guest;

    if ( !host->utc || !guest->utc || host->utc >= INT64_MAX ||
         guest->utc >= INT64_MAX || host->utc_at >= CLOCK_TIME_MAX ||
         guest->utc_at >= CLOCK_TIME_MAX )
        return false;
    /* What was the guest's time when UTC was the host's. */
    *ret = (int64_t)host->utc_at - (int64_t)guest->utc_at;
    return !__builtin_sub_overflow(
               *ret, (int64_t)host->utc - (int64_t)guest->utc, ret) &&
           *ret<(int64_t)CLOCK_TIME_MAX && * ret> - (int64_t)CLOCK_TIME_MAX;
}

static enum clock_verdict ask_threads(const struct merge *merge,
                                      const struct clock_window *window,
                                      struct clock_found *ret)
{
    struct clock_moments host = merge_host_moments(&merge->host);
    struct clock_moments guest = merge_guest_moments(&merge->guest);
    enum clock_verdict verdict = clock_find(&host, &guest, window, ret);

    free(host.items);
    free(guest.items);
    return verdict;
}

static enum exit_status ask_user(const struct merge *merge,
                                 enum clock_verdict verdict,
                                 struct failure *failure)
{
    static const char *const why[] = {
        [CLOCK_SMOOTH] = "threads that both have ran on and on, or too seldom",
        [CLOCK_TWICE] = "threads ran in the same way again and again, so that "
                        "several would do",
    };

    if ( verdict == CLOCK_STRANGERS )
        return refuse_strangers(merge, failure);
    return fail(failure, STATUS_NO_SYMBOL,
                "--merge: %s does not say enough to find how far its clock is "
                "from Xen's: %s: give --merge-offset=SECONDS, or record with "
                "perf record -k CLOCK_MONOTONIC, which notes the time of day",
                merge->wanted->file, why[verdict]);
}

/* Most, or more than chance would make, name the same thread. */
static bool is_agreement(const struct merge_agreement *agreement)
{
    const uint64_t chance = agreement->chance;

    return agreement->same * 2 >= agreement->compared ||
           agreement->same >=
               chance + (agreement->compared - chance) / BETTER_THAN;
}

/* What was found is not used if vCPUs ran other threads then. */
static enum exit_status check_agreement(struct merge *merge,
                                        struct failure *failure)
{
    struct merge_agreement *agreement = &merge->agreement;

    *agreement = merge_compare(&merge->host, &merge->guest, merge->domain,
                               merge->clock.offset);
    if ( merge->wanted->has_offset || is_agreement(agreement) )
        return STATUS_DONE;
    return fail(failure, STATUS_NO_SYMBOL,
                "--merge: at the best offset, %.6f s, %s and the session name "
                "the same thread in %" PRIu64 " of %" PRIu64
                " samples, as chance would have it: it is of another guest, or "
                "another time; "
                "--merge-offset=SECONDS uses it all the same",
                (double)merge->clock.offset / SECOND, merge->wanted->file,
                agreement->same, agreement->compared);
}

static enum exit_status find_offset(struct merge *merge,
                                    struct failure *failure)
{
    struct clock_window window = {INT64_MIN, INT64_MAX};
    struct clock_found *clock = &merge->clock;
    enum clock_verdict verdict;
    int64_t wall = 0;
    bool has_wall;

    if ( merge->wanted->has_offset )
    {
        *clock = (struct clock_found){.offset = merge->wanted->offset};
        merge->how = "as it was given";
        return check_agreement(merge, failure);
    }
    has_wall = wall_offset(merge, &wall);
    if ( has_wall )
        window = (struct clock_window){wall - WALL_SLACK, wall + WALL_SLACK};
    verdict = ask_threads(merge, &window, clock);
    merge->how = has_wall ? "by both times of day, and when threads ran"
                          : "by when threads ran";
    if ( has_wall && verdict != CLOCK_FOUND )
    {
        *clock = (struct clock_found){.offset = wall, .error = UINT64_MAX};
        merge->how = "by both times of day alone, which may differ";
    }
    else if ( verdict != CLOCK_FOUND )
        return ask_user(merge, verdict, failure);
    return check_agreement(merge, failure);
}

/* An offset that is less exact may give a sample another one's callers. */
static void lend_callers(struct merge *merge)
{
    if ( merge->clock.error <= 2 * merge->guest.half )
        merge->borrowed = merge_borrow(&merge->host, &merge->guest,
                                       merge->domain, merge->clock.offset);
}

static uint64_t count_nameless(const struct merge *merge)
{
    uint64_t count = 0;

    for ( size_t i = 0; i < merge->host.samples.count; i++ )
        count += merge->host.samples.items[i].domain == merge->domain &&
                 merge->host.samples.items[i].chain;
    return count;
}

static char *tell_exactness(const struct merge *merge)
{
    const uint64_t error = merge->clock.error;

    if ( !error || error == UINT64_MAX )
        return must(strdup(""));
    return must_text(" to %.1f ms", (double)error / 1e6);
}

static char *tell(const struct merge *merge)
{
    const struct merge_agreement *agreement = &merge->agreement;
    char *exactness SCOPE_FREE = tell_exactness(merge);
    char *same SCOPE_FREE =
        agreement->compared
            ? must_text("%.0f %% of %" PRIu64 " samples that both took of a "
                        "vCPU name the same thread, by chance %.0f %% would",
                        100.0 * (double)agreement->same /
                            (double)agreement->compared,
                        agreement->compared,
                        100.0 * (double)agreement->chance /
                            (double)agreement->compared)
            : must(strdup("no vCPU was sampled by both at one time, which "
                          "could show that it is right"));
    char *lent SCOPE_FREE =
        merge->borrowed
            ? must_text(", and %" PRIu64
                        " have callers below " SESSION_SYMBOL_BORROWED,
                        merge->borrowed)
            : must(strdup(""));

    return must_text("%s of %s: Xen's time is perf's and %.6f s%s (%s); %s; of "
                     "%" PRIu64 " samples with code of processes without names "
                     "%" PRIu64 " have them from there%s",
                     merge->wanted->file, merge->wanted->domain,
                     (double)merge->clock.offset / SECOND, exactness,
                     merge->how, same, count_nameless(merge),
                     merge->guest.named, lent);
}

static enum exit_status write_merged(struct merge *merge, const char *path,
                                     struct import_folder *folder, char **said,
                                     struct failure *failure)
{
    char *note SCOPE_FREE = tell(merge);
    char *damage SCOPE_FREE = NULL;

    if ( import_folder_make(folder, failure) ||
         merge_write(&merge->host, &merge->guest, path, folder->path, note,
                     &damage, failure) )
        return failure->status;
    *said = must_text("%s%s%s", note,
                      damage ? "; what is damaged is left out: " : "",
                      damage ? damage : "");
    return STATUS_DONE;
}

static enum exit_status do_merge(struct merge *merge, const char *path,
                                 struct import_folder *folder, char **said,
                                 struct failure *failure)
{
    if ( merge_guest_open(&merge->guest, merge->wanted->file, failure) ||
         merge_host_read(&merge->host, path, failure) ||
         merge_guest_read(&merge->guest, failure) )
        return failure->status;
    if ( !choose_domain(merge) )
        return refuse_strangers(merge, failure);
    if ( find_offset(merge, failure) ||
         merge_guest_name(&merge->guest, &merge->host, merge->domain,
                          merge->clock.offset, failure) )
        return failure->status;
    lend_callers(merge);
    return write_merged(merge, path, folder, said, failure);
}

enum exit_status merge_session(struct import_folder *folder, const char *path,
                               const struct merge_wanted *wanted, char **said,
                               struct failure *failure)
{
    struct merge *merge = must(calloc(1, sizeof(*merge)));

    merge->wanted = wanted;
    merge_host_init(&merge->host, wanted->domain);
    do_merge(merge, path, folder, said, failure);
    merge_host_free(&merge->host);
    merge_guest_close(&merge->guest);
    free(merge);
    return failure->status;
}
