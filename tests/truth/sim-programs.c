/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-programs.h"

#include <libxenoprof.h>

#include <stdio.h>
#include <stdlib.h>

#include "sim-events.h"

#define FUNCTIONS 14u /* of each mode */
#define IDLE_RUN  5e6 /* mean ns in which an idle pCPU does nothing */

static void add_frames(struct sim_chain *chain, struct sim_draw *draw,
                       uint8_t mode, unsigned int least, unsigned int most)
{
    uint64_t count = sim_between(draw, least, most);

    for ( ; count; count-- )
    {
        chain->modes[chain->depth] = mode;
        chain->functions[chain->depth++] = (uint16_t)sim_below(draw, FUNCTIONS);
    }
}

/* A process calls its kernel, and that calls Xen; a kernel's thread has no
 * process. */
static void draw_chain(struct sim_chain *chain, struct sim_draw *draw)
{
    bool kernel = sim_chance(draw, 600), xen = sim_chance(draw, 450);
    bool user = (!kernel && !xen) || sim_chance(draw, 700);

    if ( user )
        add_frames(chain, draw, XENOPROF_MODE_USER, 1, 4);
    if ( kernel )
        add_frames(chain, draw, XENOPROF_MODE_KERNEL, 1, 4);
    if ( xen )
        add_frames(chain, draw, XENOPROF_MODE_XEN, 1, 4);
}

/* An idle vCPU works for so long after each time in which it did nothing. */
static double idle_work(const struct sim_scenario *scenario)
{
    return IDLE_RUN * scenario->idle_work / (1000.0 - scenario->idle_work);
}

void sim_program_make(struct sim_program *program,
                      const struct sim_scenario *scenario,
                      struct sim_draw *draw, bool idles)
{
    program->idles = idles;
    program->count = idles ? 5 : (uint32_t)sim_scaled(draw, 4, 50);
    program->chains = sim_memory(program->count, sizeof(*program->chains));
    program->sums = sim_memory(program->count, sizeof(*program->sums));
    program->salt = sim_below(draw, UINT64_MAX);
    program->length = scenario->phase;
    /* Programs do not change at the same moments. */
    program->begin = scenario->begin -
                     sim_below(draw, scenario->phase ? scenario->phase : 1) %
                         scenario->begin;
    for ( uint32_t i = 0; i < program->count; i++ )
    {
        struct sim_chain *chain = &program->chains[i];

        chain->length = (idles ? idle_work(scenario)
                               : (double)scenario->piece) *
                        (0.3 + 1.4 * sim_unit(draw));
        if ( !idles )
            draw_chain(chain, draw);
        else if ( i )
            add_frames(chain, draw, XENOPROF_MODE_XEN, 1, 4);
    }
    if ( idles )
        program->chains[0].length = IDLE_RUN;
}

void sim_program_free(struct sim_program *program)
{
    free(program->chains);
    free(program->sums);
}

/* Of how many runs one is of this chain, in a phase: few are frequent, and some
 * are not there. */
static double weight(struct sim_draw *draw)
{
    double unit = sim_unit(draw);

    return sim_chance(draw, 200) ? 0 : 0.02 + unit * unit * unit * unit;
}

static void begin_phase(struct sim_program *program, uint64_t phase)
{
    struct sim_draw draw = {program->salt + phase};
    double sum = 0;

    for ( uint32_t i = 0; i < program->count; i++ )
        program->sums[i] = sum += program->idles && !i ? 0 : weight(&draw);
    /* Something runs in any case. */
    if ( !sum )
        program->sums[program->count - 1] = 1;
    program->phase = phase + 1;
}

static uint32_t find(const struct sim_program *program, double at)
{
    uint32_t low = 0, high = program->count - 1;

    while ( low < high )
    {
        uint32_t middle = (low + high) / 2;

        if ( program->sums[middle] > at )
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

struct sim_piece sim_program_draw(struct sim_program *program,
                                  struct sim_draw *draw, uint32_t before,
                                  uint64_t now)
{
    uint64_t phase = program->length ? (now - program->begin) / program->length
                                     : 0;
    struct sim_piece piece;

    if ( program->phase != phase + 1 )
        begin_phase(program, phase);
    piece.chain = 0;
    if ( !program->idles || !before )
        piece.chain = find(program,
                           sim_unit(draw) * program->sums[program->count - 1]);
    piece.left = sim_until(draw, program->chains[piece.chain].length);
    return piece;
}

void sim_frame_name(const struct sim_chain *chain, unsigned int frame,
                    char ret[SIM_NAME])
{
    static const char *const verbs[] = {"get",  "put",   "walk",  "queue",
                                        "copy", "check", "update"};
    static const char *const prefixes[] = {"x", "k", "u"};
    unsigned int function = chain->functions[frame];

    snprintf(ret, SIM_NAME, "%s_%s_%u", prefixes[chain->modes[frame]],
             verbs[function % 7], function);
}
