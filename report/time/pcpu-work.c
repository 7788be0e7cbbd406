/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcpu-work.h"

#include "base/must.h"

#include <stdlib.h>
#include <string.h>

#define TURNS 20u /* each brings it nearer; what is left is far below noise */
#define NONE  UINT32_MAX

#define AT_ONCE 64u /* cells that are looked up */

#define TOLERANCE 1e-4 /* by which a pCPU may have too much */

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

static struct cell_key alike_key(const struct cell *cell)
{
    struct cell_key key = cell->key;

    key.pcpu = CELL_SEVERAL;
    return key;
}

/* The same for some cells, the memory of which was asked for at once. */
static void find_some_rows(struct fitting *fitting, struct table *alike,
                           size_t first, size_t end)
{
    const struct table *cells = &fitting->loaded->cells;
    uint32_t hashes[AT_ONCE];

    for ( size_t i = first; i < end; i++ )
    {
        const struct cell_key key = alike_key(table_at(cells, i));

        hashes[i - first] = table_expect(alike, &key);
    }
    for ( size_t i = first; i < end; i++ )
        table_expect_entry(alike, hashes[i - first]);
    for ( size_t i = first; i < end; i++ )
    {
        const struct cell *cell = table_at(cells, i);
        const struct cell_key key = alike_key(cell);

        fitting->rows[i] = NONE;
        if ( takes_part(cell) )
            fitting->rows[i] = (uint32_t)table_index(
                alike,
                must(table_put_expected(alike, &key, hashes[i - first])));
    }
}

/* Which cells differ in pCPUs only. */
static void find_rows(struct fitting *fitting)
{
    const size_t count = fitting->loaded->cells.count;
    struct table alike;

    table_init(&alike, sizeof(struct cell_key), sizeof(struct alike));
    for ( size_t i = 0; i < count; i += AT_ONCE )
        find_some_rows(fitting, &alike, i,
                       count - i < AT_ONCE ? count : i + AT_ONCE);
    fitting->row_count = alike.count;
    table_free(&alike);
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

/* How much each pCPU has once factors are applied, and by which factor that is
 * too much. */
static void find_pcpu_excess(const struct fitting *fitting)
{
    for ( size_t i = 0; i < fitting->pcpu_count; i++ )
        fitting->of_pcpus[i].has = 0;
    for ( size_t i = 0; i < fitting->loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&fitting->loaded->cells, i);

        if ( fitting->rows[i] != NONE )
            fitting->of_pcpus[fitting->pcpus[i]].has += cell->exact;
    }
    for ( size_t i = 0; i < fitting->pcpu_count; i++ )
    {
        struct margin *pcpu = &fitting->of_pcpus[i];

        pcpu->factor = pcpu->has > pcpu->wanted * (1 + TOLERANCE)
                           ? pcpu->wanted / pcpu->has
                           : 1;
    }
}

/* Gives ns of a cell to the same on another pCPU, without a sample. */
static void move_cell_time(struct loaded *loaded, size_t from, size_t pcpu,
                           double ns)
{
    const struct loaded_pcpu *to = table_at(&loaded->pcpus, pcpu);
    struct cell whole = {.exact = 0};
    struct cell *cell;

    memcpy(&whole, table_at(&loaded->cells, from), loaded->cells.entry_size);
    whole.key.pcpu = (uint16_t)to->key.number;
    cell = must(table_put(&loaded->cells, &whole.key));
    if ( !cell->samples && cell->exact <= 0 )
    {
        whole.samples = whole.ticks = 0;
        whole.exact = whole.square = 0;
        memcpy(cell, &whole, loaded->cells.entry_size);
    }
    cell->exact += ns;
}

/* Moves ns of a cell to pCPUs that are short of it, from *to on. */
static void pour(const struct fitting *fitting, size_t from, double ns,
                 size_t *to)
{
    for ( ; ns > 0 && *to < fitting->pcpu_count; ++*to )
    {
        struct margin *pcpu = &fitting->of_pcpus[*to];
        const double room = pcpu->factor < 1 ? 0 : pcpu->wanted - pcpu->has;
        const double part = ns < room ? ns : room;

        if ( part <= 0 )
            continue;
        move_cell_time(fitting->loaded, from, *to, part);
        pcpu->has += part;
        ns -= part;
        if ( ns <= 0 )
            break;
    }
}

/* Where vCPUs were met on fewer pCPUs than they ran on, no factors fit: what is
 * too much for a pCPU goes to those that are short of it, in their order. */
static void move_rest(const struct fitting *fitting)
{
    const size_t count = fitting->loaded->cells.count;
    size_t to = 0;

    find_pcpu_excess(fitting);
    for ( size_t i = 0; i < count; i++ )
    {
        struct cell *cell = table_at(&fitting->loaded->cells, i);
        const double factor = fitting->rows[i] == NONE
                                  ? 1
                                  : fitting->of_pcpus[fitting->pcpus[i]].factor;
        const double whole = cell->exact;

        cell->exact *= factor;
        cell->square *= factor * factor;
        if ( factor < 1 )
            pour(fitting, i, whole - cell->exact, &to);
    }
}

static void fit_cells(struct fitting *fitting)
{
    find_rows(fitting);
    if ( !find_pcpus(fitting) )
        return;
    want(fitting);
    for ( unsigned int i = 0; i < TURNS; i++ )
    {
        fit(fitting, fitting->pcpus, fitting->of_pcpus, fitting->pcpu_count);
        fit(fitting, fitting->rows, fitting->of_rows, fitting->row_count);
    }
    apply(fitting);
    move_rest(fitting);
}

void pcpu_work_fit(struct loaded *loaded)
{
    const size_t cells = loaded->cells.count + 1;
    struct fitting fitting = {.loaded = loaded};

    if ( !loaded->pcpus.count )
        return;
    fitting.rows = must(calloc(cells, sizeof(*fitting.rows)));
    fitting.pcpus = must(calloc(cells, sizeof(*fitting.pcpus)));
    fitting.of_rows = must(calloc(cells, sizeof(*fitting.of_rows)));
    fitting.of_pcpus = must(
        calloc(loaded->pcpus.count, sizeof(*fitting.of_pcpus)));
    fit_cells(&fitting);
    free(fitting.rows);
    free(fitting.pcpus);
    free(fitting.of_rows);
    free(fitting.of_pcpus);
}
