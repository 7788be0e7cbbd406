/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of real files against what readelf(1) decodes of them: each row of
 * each function, at its first and last byte.
 *
 * With ROWS_FOLDERS in the environment (folders, a blank between them), as
 * tests/elf-files sets it, all ELF files below these instead of a few that most
 * machines have.
 */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "rows/cfi/elf-rows.h"
#include "tests/harness.h"

#define COLUMNS 24u

/* A row as readelf prints it: what each register is. */
struct printed_row {
    uint64_t address;
    char cfa[24], bp[24], bx[24], ip[24];
};

struct readelf_comparison {
    const struct row_table *table;
    uint64_t start, end; /* of the function */
    bool function;
    int columns[COLUMNS]; /* of each: which register, 0: another */
    unsigned int count;
    struct printed_row row; /* which lasts to the next one's address */
    bool has_row;
    /* What came of it. */
    unsigned long rows, different, said, unknown;
};

static const char *const names[ROW_REGISTER_COUNT] = {
    "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
    "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

static bool is_cfa(const struct row_rule *rule, const char *printed)
{
    char wanted[24];
    const char *base;

    switch ( rule->kind )
    {
    case RULE_SP: base = "rsp"; break;
    case RULE_BP: base = "rbp"; break;
    case RULE_REGISTER: base = names[rule->extra]; break;
    default: return !strcmp(printed, "exp");
    }
    snprintf(wanted, sizeof(wanted), "%s%+d", base, rule->offset * ROW_WORD);
    return !strcmp(printed, wanted);
}

/* Whether a rule cannot say that: an offset that is not of words, or of more
 * than this many bytes. */
static bool is_far(const char *printed, long most)
{
    const char *sign = strpbrk(printed, "+-");
    long offset = sign ? strtol(sign, NULL, 10) : 0;

    return offset % ROW_WORD || labs(offset) > most;
}

static bool is_saved(uint8_t way, int8_t offset, const char *printed)
{
    char wanted[24];

    switch ( way )
    {
    case SAVED_NOT: return !strcmp(printed, "u") || !strcmp(printed, "s");
    case SAVED_AT_CFA:
        snprintf(wanted, sizeof(wanted), "c%+d", offset * ROW_WORD);
        return !strcmp(printed, wanted);
    case SAVED_AT_BP: return !strcmp(printed, "exp");
    default: return printed[0] != 'c' || is_far(printed, INT8_MAX * ROW_WORD);
    }
}

/* Whether a rule that a walk cannot follow is one that says so. */
static bool is_hard(const struct printed_row *row)
{
    return !strcmp(row->cfa, "exp") || strcmp(row->ip, "c-8") ||
           is_far(row->cfa, INT16_MAX * ROW_WORD);
}

static bool is_row(const struct row_rule *rule, const struct printed_row *row)
{
    switch ( rule->kind )
    {
    case RULE_NONE: return false;
    case RULE_UNKNOWN: return is_hard(row);
    case RULE_ROOT: return !strcmp(row->ip, "u");
    case RULE_SIGNAL:
        return !strcmp(row->cfa, "exp") && !strcmp(row->ip, "exp") &&
               !strcmp(row->bp, "exp") && !strcmp(row->bx, "exp");
    default:
        return !strcmp(row->ip, "c-8") && is_cfa(rule, row->cfa) &&
               is_saved(rule->bp, rule->bp_offset, row->bp) &&
               is_saved(rule->bx, rule->bx_offset, row->bx);
    }
}

static void compare_row(struct readelf_comparison *to, uint64_t end)
{
    const struct printed_row *row = &to->row;
    const struct row_rule *first, *last;

    if ( !to->has_row || end <= row->address )
        return;
    first = row_table_find(to->table, row->address);
    last = row_table_find(to->table, end - 1);
    to->rows++;
    to->said += end - row->address;
    if ( first->kind == RULE_UNKNOWN )
        to->unknown += end - row->address;
    if ( is_row(first, row) && first == last )
        return;
    if ( to->different++ < 4 )
        printf("# %#lx..%#lx: CFA %s bp %s bx %s ip %s; ours: kind %u %+d, bp "
               "%u %+d, bx %u %+d%s\n",
               row->address, end, row->cfa, row->bp, row->bx, row->ip,
               first->kind, first->offset, first->bp, first->bp_offset,
               first->bx, first->bx_offset,
               first == last ? "" : ", and another at its end");
}

static void end_function(struct readelf_comparison *to)
{
    if ( to->function )
        compare_row(to, to->end);
    to->has_row = to->function = false;
}

static void read_columns(struct readelf_comparison *to, char *line)
{
    char *rest = line;

    to->count = 0;
    for ( char *word; (word = strtok_r(rest, " \n", &rest)); )
    {
        int which = !strcmp(word, "CFA")   ? 'c'
                    : !strcmp(word, "rbp") ? ROW_BP
                    : !strcmp(word, "rbx") ? ROW_BX
                    : !strcmp(word, "ra")  ? ROW_IP
                                           : 0;

        if ( to->count < COLUMNS )
            to->columns[to->count++] = which;
    }
}

static void put_word(struct printed_row *row, int which, const char *word)
{
    char *to = which == 'c'      ? row->cfa
               : which == ROW_BP ? row->bp
               : which == ROW_BX ? row->bx
               : which == ROW_IP ? row->ip
                                 : NULL;

    if ( to )
        snprintf(to, sizeof(row->cfa), "%s", word);
}

static void read_row(struct readelf_comparison *to, char *line)
{
    struct printed_row row = {.bp = "u", .bx = "u", .ip = "u"};
    char *rest = line;
    unsigned int column = 0;

    /* A register's name may stand behind it, in brackets. */
    for ( char *word; (word = strtok_r(rest, " \n", &rest)); )
        if ( !column++ )
            row.address = strtoul(word, NULL, 16);
        else if ( *word == '(' )
            column--;
        else if ( column <= to->count )
            put_word(&row, to->columns[column - 1], word);
    /* Of rows at one address the last counts. */
    if ( to->has_row && row.address != to->row.address )
        compare_row(to, row.address);
    to->row = row;
    to->has_row = true;
}

static void read_line(struct readelf_comparison *to, char *line)
{
    const char *range = strstr(line, " pc=");

    if ( range && strstr(line, " FDE ") )
    {
        end_function(to);
        to->function = sscanf(range, " pc=%lx..%lx", &to->start, &to->end) ==
                           2 &&
                       to->start && to->start < to->end;
    }
    else if ( strstr(line, " CIE ") || !strncmp(line, "Contents", 8) )
        end_function(to);
    else if ( strstr(line, "LOC") )
        read_columns(to, line);
    else if ( to->function && strspn(line, "0123456789abcdef") == 16 )
        read_row(to, line);
}

static struct row_table *open_table(const char *path)
{
    int fd SCOPE_CLOSE = open(path, O_RDONLY | O_CLOEXEC);
    struct row_table *table = NULL;

    if ( fd >= 0 )
        elf_rows(fd, &table, NULL);
    return table;
}

/* Returns whether it is a file that has a table. */
static bool compare_file(const char *path, struct readelf_comparison *sum)
{
    struct readelf_comparison to = {.table = NULL};
    struct row_table *table = open_table(path);
    char *line SCOPE_FREE = NULL;
    char command[4200];
    size_t room = 0;
    FILE *said;

    if ( !table )
        return false;
    to.table = table;
    snprintf(command, sizeof(command),
             "LC_ALL=C exec readelf -wF '%s' 2>/dev/null", path);
    said = popen(command, "r");
    CHECK(said);
    while ( getline(&line, &room, said) > 0 )
        read_line(&to, line);
    end_function(&to);
    pclose(said);
    row_table_close(table);
    sum->rows += to.rows;
    sum->different += to.different;
    sum->said += to.said;
    sum->unknown += to.unknown;
    if ( to.different )
        printf("# %s: %lu of %lu rows differ\n", path, to.different, to.rows);
    return true;
}

static void check_sum(const struct readelf_comparison *sum, unsigned int files)
{
    printf("# %u files: %lu rows, %lu differ; %.4f %% of %.1f MB known\n",
           files, sum->rows, sum->different,
           100.0 - 100.0 * (double)sum->unknown / (double)sum->said,
           (double)sum->said / 0x1p20);
    CHECK_EQ(sum->different, 0);
    CHECK(sum->unknown * 1000 < sum->said);
}

TEST_IF(files_that_most_machines_have, !getenv("ROWS_FOLDERS"))
{
    static const char *const patterns[] = {
        "/lib*/x86_64-linux-gnu/libc.so.6",
        "/lib64/libc.so.6",
        "/lib64/ld-linux-x86-64.so.2",
        "/usr/lib/x86_64-linux-gnu/libcrypto.so.[0-9]*",
        "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
        "/usr/bin/python3.[0-9]*",
        "/usr/bin/bash"};
    struct readelf_comparison sum = {.rows = 0};
    unsigned int files = 0;
    glob_t found = {0};

    if ( system("readelf --version >/dev/null 2>&1") )
        test_skip("no readelf");
    for ( size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++ )
        glob(patterns[i], i ? GLOB_APPEND : 0, NULL, &found);
    for ( size_t i = 0; i < found.gl_pathc; i++ )
        files += compare_file(found.gl_pathv[i], &sum);
    globfree(&found);
    if ( !sum.rows )
        test_skip("none of the files is here");
    check_sum(&sum, files);
}

TEST_IF(all_files_below_folders, getenv("ROWS_FOLDERS"))
{
    struct readelf_comparison sum = {.rows = 0};
    unsigned int files = 0;
    char *line SCOPE_FREE = NULL;
    char command[4200];
    size_t room = 0;
    FILE *found;

    snprintf(command, sizeof(command), "exec find -H %s -type f -size +1k",
             getenv("ROWS_FOLDERS"));
    found = popen(command, "r");
    CHECK(found);
    while ( getline(&line, &room, found) > 0 )
    {
        line[strcspn(line, "\n")] = 0;
        if ( !strchr(line, '\'') )
            files += compare_file(line, &sum);
    }
    pclose(found);
    check_sum(&sum, files);
}
