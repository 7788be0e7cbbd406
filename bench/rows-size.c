/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the rows of ELF files take, and how much of their code they know:
 * a line for each file on the command line, and one of their sum.  Files that
 * are not of x86-64 programs or libraries are passed over.
 *
 *   bench/rows-size [-s] [FILE...]    -s: the sum only; without a FILE their
 *                                     names are read, a line each
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/scope.h"
#include "rows/cfi/elf-rows.h"

struct rows_cost {
    double code, ruled, known; /* bytes */
    double rows, rules, size, bad;
    double seconds;
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Code by what is said of it. */
static void add_table(struct rows_cost *cost, const struct row_table *table)
{
    for ( uint32_t i = 0; i < table->segments; i++ )
    {
        const struct row_segment *segment = &table->segment[i];

        for ( uint64_t at = 0; at < segment->size; at++ )
        {
            uint8_t kind = row_table_find(table, segment->address + at)->kind;

            cost->ruled += kind != RULE_NONE;
            cost->known += kind != RULE_NONE && kind != RULE_UNKNOWN;
        }
        cost->code += (double)segment->size;
    }
    cost->rows += table->rows;
    cost->rules += table->rules;
    cost->size += (double)row_table_size(table);
}

static bool measure(const char *path, struct rows_cost *cost)
{
    int fd SCOPE_CLOSE = open(path, O_RDONLY | O_CLOEXEC);
    struct row_table *table = NULL;
    double start = now();
    size_t bad = 0;

    *cost = (struct rows_cost){.code = 0};
    if ( fd < 0 || elf_rows(fd, &table, &bad) != ELF_ROWS_MADE )
        return false;
    cost->seconds = now() - start;
    cost->bad = (double)bad;
    add_table(cost, table);
    row_table_close(table);
    return true;
}

static void add_cost(struct rows_cost *to, const struct rows_cost *more)
{
    to->code += more->code;
    to->ruled += more->ruled;
    to->known += more->known;
    to->rows += more->rows;
    to->rules += more->rules;
    to->size += more->size;
    to->bad += more->bad;
    to->seconds += more->seconds;
}

static void print(const struct rows_cost *cost, const char *name)
{
    double megabytes = cost->code / 0x1p20;

    printf("%9.2f %9.0f %6.0f %8.0f %7.1f %7.2f %8.3f %8.3f %4.0f  %s\n",
           megabytes, cost->rows, cost->rules, cost->size / 0x1p10,
           cost->size / 0x1p10 / megabytes, cost->seconds * 1e3 / megabytes,
           cost->ruled ? 100 * cost->known / cost->ruled : 100,
           100 * cost->known / cost->code, cost->bad, name);
}

static struct rows_cost sum;
static unsigned int files;

static void look(const char *path, bool sum_only)
{
    struct rows_cost cost;

    if ( !measure(path, &cost) )
        return;
    if ( !sum_only )
        print(&cost, path);
    add_cost(&sum, &cost);
    files++;
}

static void look_at_list(bool sum_only)
{
    char *line SCOPE_FREE = NULL;
    size_t room = 0;

    while ( getline(&line, &room, stdin) > 0 )
    {
        line[strcspn(line, "\n")] = 0;
        look(line, sum_only);
    }
}

int main(int argc, char **argv)
{
    bool sum_only = argc > 1 && !strcmp(argv[1], "-s");
    char name[64];

    printf("%9s %9s %6s %8s %7s %7s %8s %8s %4s\n", "code MB", "rows", "rules",
           "KB", "KB/MB", "ms/MB", "% said", "% all", "bad");
    for ( int i = 1 + sum_only; i < argc; i++ )
        look(argv[i], sum_only);
    if ( argc == 1 + sum_only )
        look_at_list(sum_only);
    snprintf(name, sizeof(name), "all %u files", files);
    print(&sum, name);
    return 0;
}
