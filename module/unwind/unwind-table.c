/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the table step by step, and counts what it covers. */
#include "unwind-table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "encode.h"
#include "entry-distance.h"
#include "flow.h"
#include "roles.h"
#include "own-text.h"

/* Few labels pass for functions, and seldom one right after another. */
#define ROUNDS 4

struct generation {
    const struct xen_image *image;
    struct own_text object;
    struct listing_text texts[2];
    struct listing_symbol *symbols;
    struct listing listing;
    struct unwind_fixups fixups;
    struct jump_tables tables;
    struct unwind_frame *frames;
    uint8_t *states;
};

static int read_code(struct generation *generation, const char *object)
{
    const struct xen_image *image = generation->image;
    struct listing *listing = &generation->listing;
    int result = 0;

    if ( object )
        result = own_text_open(&generation->object, object, image);
    if ( result )
        return result;
    generation->texts[listing->text_count++] = (struct listing_text){
        .address = image->text.address,
        .bytes = image->text.bytes,
        .size = image->text.size,
        .base = XENOPROF_UNWIND_ABSOLUTE,
    };
    if ( object )
        generation->texts[listing->text_count++] = generation->object.text;
    listing->texts = generation->texts;
    result = listing_symbols(image, object ? &generation->object : NULL,
                             &generation->symbols, &listing->symbol_count);
    listing->symbols = generation->symbols;
    return result ? result : listing_read(listing);
}

static int follow_listing(struct generation *generation)
{
    struct listing *listing = &generation->listing;
    int result = unwind_assign_roles(listing, generation->image,
                                     &generation->fixups);

    if ( !result )
        result = jump_tables_find(listing, &generation->image->rodata,
                                  &generation->tables);
    if ( result )
        return result;
    generation->frames = calloc(listing->count, sizeof(*generation->frames));
    generation->states = calloc(listing->count, 1);
    if ( !generation->frames || !generation->states )
        return -ENOMEM;
    for ( unsigned int i = 0; !result && i < ROUNDS; i++ )
    {
        result = unwind_follow(listing, &generation->fixups,
                               &generation->tables, generation->frames);
        if ( !unwind_drop_labels(listing, generation->frames) )
            break;
    }
    return result ? result : unwind_follow_entry(listing, generation->frames);
}

static void end_generation(struct generation *generation)
{
    free(generation->fixups.list);
    jump_tables_free(&generation->tables);
    free(generation->frames);
    free(generation->states);
    free(generation->symbols);
    listing_free(&generation->listing);
    own_text_close(&generation->object);
}

static unsigned int milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000u + now.tv_nsec / 1000000;
}

static unsigned int size_of(const struct unwind_gap *gap)
{
    return gap->unknown + gap->unreached;
}

/* Adds a function that is done; the largest gaps are kept, in order. */
static void add_gap(struct unwind_report *report, const struct unwind_gap *gap)
{
    size_t at = report->gap_count;

    report->unknown += gap->unknown;
    report->unreached += gap->unreached;
    while ( at && size_of(&report->gaps[at - 1]) < size_of(gap) )
        at--;
    if ( at == UNWIND_GAPS || !size_of(gap) )
        return;
    if ( report->gap_count < UNWIND_GAPS )
        report->gap_count++;
    memmove(&report->gaps[at + 1], &report->gaps[at],
            (report->gap_count - at - 1) * sizeof(*gap));
    report->gaps[at] = *gap;
}

static void count(const struct unwind_insn *insn,
                  const struct unwind_frame *frame, uint8_t state,
                  struct unwind_report *report, struct unwind_gap *gap)
{
    unsigned int kind = state ? unwind_state_of(frame).kind
                              : XENOPROF_UNWIND_NONE;

    if ( unwind_is_padding(insn, frame) )
        return;
    report->instructions++;
    report->kinds[kind]++;
    if ( insn->roles & UNWIND_ROLE_ENTRY )
        report->entry++;
    else if ( insn->roles & UNWIND_ROLE_APART )
        report->apart++;
    else if ( frame->base == UNWIND_BASE_NONE )
        gap->unreached++;
    else if ( !kind )
        gap->unknown++;
}

static void fill_report(const struct listing *listing,
                        const struct unwind_frame *frames,
                        const uint8_t *states, struct unwind_report *report)
{
    struct unwind_gap gap = {0};
    unsigned int rest, missing;

    for ( size_t i = 0; i < listing->count; i++ )
    {
        const struct listing_symbol *symbol = listing_symbol_at(
            listing, listing->items[i].address);

        if ( symbol )
        {
            add_gap(report, &gap);
            gap = (struct unwind_gap){0};
            snprintf(gap.name, sizeof(gap.name), "%s", symbol->name);
        }
        count(&listing->items[i], &frames[i], states[i], report, &gap);
    }
    add_gap(report, &gap);
    rest = report->instructions - report->entry - report->apart;
    missing = report->unknown + report->unreached;
    report->covered = rest ? (rest - missing) * 10000ull / rest : 0;
}

static int generate(struct generation *generation, const char *object,
                    struct xenoprof_unwind **table,
                    struct unwind_report *report)
{
    int result = read_code(generation, object);

    if ( !result )
        result = follow_listing(generation);
    if ( !result )
        result = unwind_encode(&generation->listing, generation->frames,
                               generation->states, table);
    if ( !result )
        fill_report(&generation->listing, generation->frames,
                    generation->states, report);
    return result;
}

static int refuse(struct unwind_report *report, int result)
{
    if ( result == -ENODATA )
        snprintf(
            report->error, sizeof(report->error),
            "only %u.%02u %% of this hypervisor's code could be followed "
            "for call stacks, and %u %% are needed; xenoprof does not know "
            "this build yet",
            report->covered / 100, report->covered % 100,
            UNWIND_COVERAGE_MIN / 100);
    else if ( result )
        snprintf(report->error, sizeof(report->error),
                 "cannot make the unwind table: %s", strerror(-result));
    return result;
}

int unwind_make(const struct xen_image *image, const char *object,
                struct xenoprof_unwind **table, struct unwind_report *report)
{
    struct generation generation = {.image = image};
    unsigned int start = milliseconds();
    int result;

    *table = NULL;
    memset(report, 0, sizeof(*report));
    result = image->text.size ? generate(&generation, object, table, report)
                              : -ENODATA;
    end_generation(&generation);
    report->milliseconds = milliseconds() - start;
    if ( !result )
        report->bytes = (*table)->size;
    return refuse(report, result);
}

int unwind_generate(const struct xen_image *image, const char *object,
                    struct xenoprof_unwind **table,
                    struct unwind_report *report)
{
    int result = unwind_make(image, object, table, report);

    if ( result || report->covered >= UNWIND_COVERAGE_MIN )
        return result;
    free(*table);
    *table = NULL;
    report->bytes = 0;
    return refuse(report, -ENODATA);
}

void unwind_report_line(const struct unwind_report *report, char *line,
                        size_t size)
{
    snprintf(line, size,
             "callers are known in %u.%02u %% of Xen's code, by a table of %u "
             "KB that took %u ms",
             report->covered / 100, report->covered % 100,
             (report->bytes + 1023) / 1024, report->milliseconds);
}
