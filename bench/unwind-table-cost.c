/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-table-cost XEN-SYMS...: makes the unwind table of each hypervisor and
 * of the module object in the current folder, and prints its coverage, its
 * size, and the processor time of the best of some rounds, which hardly depends
 * on other work of the machine.  Exit status 1 if that is a second or more, or
 * if less than 99.9 % is covered.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "module/unwind/unwind-table.h"

#define ROUNDS       5
#define OBJECT       "xenoprof-module.o"
#define LIMIT        1000u /* ms */
#define COVERAGE_MIN 9990u

/* The version is the name of the folder with the xen-syms. */
static void print(const char *path, const struct unwind_report *report,
                  unsigned int best, const struct xenoprof_unwind *table)
{
    const char *file = strrchr(path, '/'), *name = file ? file : path;

    while ( name > path && name[-1] != '/' )
        name--;
    printf("%-36.*s %6u.%02u %10u %7u %7u %7u %6u\n",
           file ? (int)(file - name) : (int)strlen(name), name,
           report->covered / 100, report->covered % 100, report->instructions,
           report->unknown, report->unreached, table->size, best);
}

static unsigned int milliseconds(void)
{
    struct timespec used;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return used.tv_sec * 1000u + used.tv_nsec / 1000000;
}

/* Takes the best of some rounds; the last table stays. */
static int measure(const struct xen_image *image,
                   struct xenoprof_unwind **table, struct unwind_report *report,
                   unsigned int *best)
{
    int result = 0;

    *table = NULL;
    *best = ~0u;
    for ( unsigned int i = 0; !result && i < ROUNDS; i++ )
    {
        unsigned int start = milliseconds(), took;

        free(*table);
        result = unwind_generate(image, OBJECT, table, report);
        took = milliseconds() - start;
        if ( took < *best )
            *best = took;
    }
    return result;
}

static bool measure_file(const char *path)
{
    struct xen_image image;
    struct xenoprof_unwind *table;
    struct unwind_report report;
    unsigned int best;
    bool fine;

    if ( xen_image_open_elf(&image, path) )
    {
        fprintf(stderr, "unwind-table-cost: cannot read %s as a xen-syms\n",
                path);
        return false;
    }
    fine = !measure(&image, &table, &report, &best);
    if ( fine )
        print(path, &report, best, table);
    else
        fprintf(stderr, "unwind-table-cost: %s: %s\n", path, report.error);
    fine = fine && best < LIMIT && report.covered >= COVERAGE_MIN;
    free(table);
    xen_image_close(&image);
    return fine;
}

int main(int count, char **paths)
{
    bool fine = count > 1;

    if ( !fine )
        fputs("Usage: unwind-table-cost XEN-SYMS...\n", stderr);
    else
        printf("%-36s %9s %10s %7s %7s %7s %6s\n", "hypervisor", "% covered",
               "insns", "unknown", "unseen", "bytes", "ms");
    for ( int i = 1; i < count; i++ )
        fine &= measure_file(paths[i]);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
