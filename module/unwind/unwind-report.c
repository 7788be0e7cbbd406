/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind-report.h"

#include <string.h>

#include "unwind-encode.h"

static unsigned int size_of(const struct unwind_gap *gap)
{
    return gap->unknown + gap->unreached;
}

/* A function is done.  The largest gaps are kept, largest first. */
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
    if ( insn->marks & UNWIND_MARK_ENTRY )
        report->entry++;
    else if ( insn->marks & UNWIND_MARK_APART )
        report->apart++;
    else if ( frame->base == UNWIND_BASE_NONE )
        gap->unreached++;
    else if ( !kind )
        gap->unknown++;
}

void unwind_report_fill(const struct unwind_code *code,
                        const struct unwind_frame *frames,
                        const uint8_t *states, struct unwind_report *report)
{
    struct unwind_gap gap = {0};
    unsigned int rest, missing;

    for ( size_t i = 0; i < code->count; i++ )
    {
        const struct unwind_symbol *symbol = unwind_code_symbol(
            code, code->insns[i].address);

        if ( symbol )
        {
            add_gap(report, &gap);
            gap = (struct unwind_gap){0};
            snprintf(gap.name, sizeof(gap.name), "%s", symbol->name);
        }
        count(&code->insns[i], &frames[i], states[i], report, &gap);
    }
    add_gap(report, &gap);
    rest = report->instructions - report->entry - report->apart;
    missing = report->unknown + report->unreached;
    report->covered = rest ? (rest - missing) * 10000ull / rest : 0;
}

void unwind_report_line(const struct unwind_report *report, char *line,
                        size_t size)
{
    snprintf(line, size,
             "unwind table: %u.%02u %% of %u instructions, %u KB, %u ms",
             report->covered / 100, report->covered % 100, report->instructions,
             (report->bytes + 1023) / 1024, report->milliseconds);
}
