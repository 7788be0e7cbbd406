/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcpu-work.h"

#include "base/scope.h"

#include <stdlib.h>

#define TURNS 20u /* each brings it nearer; what is left is far below noise */
#define NONE  UINT32_MAX

/* What cells have that differ in pCPUs only, or that are of one pCPU. */
struct margin {
    double wanted; /* ns */
    double has;
    double factor;
};

struct alike {
    struct cell_key key; /* pcpu is CELL_SEVERAL */
};

/* Of each cell that takes part, the margins that it is in. */
struct fitting {
    struct loaded *loaded;
    uint32_t *rows, *pcpus; /* by cell; NONE: it does not */
    struct margin *of_rows, *of_pcpus;
    size_t row_count, pcpu_count;
};

static bool takes_part(const struct cell *cell)
{
    return cell->exact > 0 && cell->key.domain != DOMAIN_INDEX_IDLE;
}

/* Which cells differ in pCPUs only.  Returns false if there is no memory. */
static bool find_rows(struct fitting *fitting)
{
    const struct loaded *loaded = fitting->loaded;
    struct table alike;
    bool done = true;

    table_init(&alike, sizeof(struct cell_key), sizeof(struct alike));
    for ( size_t i = 0; done && i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);
        struct cell_key key = cell->key;
        const struct alike *row;

        fitting->rows[i] = NONE;
        if ( !takes_part(cell) )
            continue;
        key.pcpu = CELL_SEVERAL;
        row = table_put(&alike, &key);
        done = row;
        if ( row )
            fitting->rows[i] = (uint32_t)table_index(&alike, row);
    }
    fitting->row_count = alike.count;
    table_free(&alike);
    return done;
}

/* Returns whether all are on pCPUs whose account is known. */
static bool find_pcpus(struct fitting *fitting)
{
    const struct loaded *loaded = fitting->loaded;

    fitting->pcpu_count = loaded->pcpus.count;
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);
        const uint64_t number = cell->key.pcpu;
        const struct loaded_pcpu *pcpu = table_find(&loaded->pcpus, &number);

        if ( fitting->rows[i] != NONE && !pcpu )
            return false;
        fitting->pcpus[i] = pcpu ? (uint32_t)table_index(&loaded->pcpus, pcpu)
                                 : NONE;
    }
    return true;
}

/* Cells that are alike keep what they have, and each pCPU is to have its part
 * of all of it, as it worked. */
static void want(const struct fitting *fitting)
{
    const struct loaded *loaded = fitting->loaded;
    double all = 0, work = 0;

    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        if ( fitting->rows[i] == NONE )
            continue;
        fitting->of_rows[fitting->rows[i]].wanted += cell->exact;
        all += cell->exact;
    }
    for ( size_t i = 0; i < fitting->pcpu_count; i++ )
    {
        const struct loaded_pcpu *pcpu = table_at(&loaded->pcpus, i);

        fitting->of_pcpus[i].wanted = (double)pcpu->wall - (double)pcpu->idle;
        work += fitting->of_pcpus[i].wanted;
    }
    for ( size_t i = 0; i < fitting->row_count; i++ )
        fitting->of_rows[i].factor = 1;
    for ( size_t i = 0; i < fitting->pcpu_count; i++ )
    {
        fitting->of_pcpus[i].factor = 1;
        fitting->of_pcpus[i].wanted *= work > 0 ? all / work : 1;
    }
}

static double factor_of(const struct fitting *fitting, size_t cell)
{
    return fitting->of_rows[fitting->rows[cell]].factor *
           fitting->of_pcpus[fitting->pcpus[cell]].factor;
}

/* Sets the factors of margins so that each has what is wanted. */
static void fit(const struct fitting *fitting, const uint32_t *which,
                struct margin *margins, size_t count)
{
    for ( size_t i = 0; i < count; i++ )
        margins[i].has = 0;
    for ( size_t i = 0; i < fitting->loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&fitting->loaded->cells, i);

        if ( fitting->rows[i] != NONE )
            margins[which[i]].has += cell->exact * factor_of(fitting, i);
    }
    for ( size_t i = 0; i < count; i++ )
        if ( margins[i].has > 0 && margins[i].wanted > 0 )
            margins[i].factor *= margins[i].wanted / margins[i].has;
}

static void apply(const struct fitting *fitting)
{
    for ( size_t i = 0; i < fitting->loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&fitting->loaded->cells, i);
        double factor;

        if ( fitting->rows[i] == NONE )
            continue;
        factor = factor_of(fitting, i);
        cell->exact *= factor;
        cell->square *= factor * factor;
    }
}

bool pcpu_work_fit(struct loaded *loaded)
{
    const size_t cells = loaded->cells.count + 1;
    uint32_t *rows SCOPE_FREE = calloc(cells, sizeof(*rows));
    uint32_t *pcpus SCOPE_FREE = calloc(cells, sizeof(*pcpus));
    struct margin *of_rows SCOPE_FREE = calloc(cells, sizeof(*of_rows));
    struct margin *of_pcpus SCOPE_FREE = calloc(loaded->pcpus.count + 1,
                                                sizeof(*of_pcpus));
    struct fitting fitting = {loaded, rows, pcpus, of_rows, of_pcpus, 0, 0};

    if ( !rows || !pcpus || !of_rows || !of_pcpus || !find_rows(&fitting) )
        return false;
    if ( !loaded->pcpus.count || !find_pcpus(&fitting) )
        return true;
    want(&fitting);
    for ( unsigned int i = 0; i < TURNS; i++ )
    {
        fit(&fitting, pcpus, of_pcpus, fitting.pcpu_count);
        fit(&fitting, rows, of_rows, fitting.row_count);
    }
    apply(&fitting);
    return true;
}
