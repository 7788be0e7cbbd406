/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --export=perf-script: text as `perf script -F comm,pid,tid,cpu,time,period,
 * event,ip,sym,dso --ns` prints it, which many tools read: a line for the
 * sample, one for each frame, the leaf first, and an empty one.
 */
#include "export-lines.h"
#include "export-threads.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/format.h"
#include "report/text/folded-name.h"

#include <inttypes.h>

#define PCPU_DIGITS 3u
#define NS_DIGITS   9u

/* What reads this takes a name that begins with '(' for no function. */
static char *frame_line(const struct walk_function *function)
{
    char *name SCOPE_FREE = folded_name(function->name, "");
    char *image SCOPE_FREE = threads_image(function, "kernel.kallsyms");
    const uint64_t address = function->key.address ? function->key.address
                                                   : function->start;

    if ( *name == '(' )
        *name = '[';
    return must_text("\t%16" PRIx64 " %s (%s)\n", address, name, image);
}

static const struct lines_spelling in_frames = {frame_line, lines_folded_label};

static void put_head(struct export_lines *lines,
                     const struct export_thread *thread,
                     const struct walk_sample *sample)
{
    const uint64_t pcpu = walk_label_value(&lines->walk, sample->cell,
                                           WALK_PCPU);

    lines_text(lines, thread->comm);
    lines_text(lines, "  ");
    lines_number(lines, (uint64_t)thread->pid, 1);
    lines_text(lines, "/");
    lines_number(lines, (uint64_t)thread->tid, 1);
    lines_text(lines, " [");
    lines_number(lines, pcpu == LABEL_NONE ? 0 : pcpu, PCPU_DIGITS);
    lines_text(lines, "] ");
    lines_number(lines, sample->time / NS_PER_S, 1);
    lines_text(lines, ".");
    lines_number(lines, sample->time % NS_PER_S, NS_DIGITS);
    lines_text(lines, ": ");
    lines_number(lines, sample->amount, 1);
    lines_text(lines, " ");
    lines_text(lines, threads_event(&lines->walk, sample->cell->key.type));
    lines_text(lines, ": \n");
}

static void put_sample(struct export_lines *lines,
                       struct export_threads *threads,
                       const struct walk_sample *sample)
{
    const struct walk_stack *stacks = lines->walk.stacks.items;
    const struct walk_frame *frames = lines->walk.frames.items;

    put_head(lines, threads_of(threads, &lines->walk, sample->cell), sample);
    for ( uint32_t at = sample->stack; at != WALK_NONE; at = stacks[at].caller )
        lines_put(lines,
                  lines_function(lines, frames[stacks[at].frame].function));
    lines_end(lines);
}

static void print_perf_script(const struct report *report, FILE *file)
{
    struct export_lines lines;
    struct export_threads threads;
    struct walk_sample sample;

    lines_init(&lines, report, file, &in_frames);
    threads_init(&threads);
    while ( walk_next(&lines.walk, &sample) )
        put_sample(&lines, &threads, &sample);
    threads_free(&threads);
    lines_free(&lines);
}

const struct view export_perf_script = {
    .print = print_perf_script,
    .option = "export",
    .stacks = true,
    .who = true,
    .log = true,
    .labels = true,
    .one_type = true,
    .opens = "open it with speedscope, or give it to stackcollapse-perf.pl",
};
