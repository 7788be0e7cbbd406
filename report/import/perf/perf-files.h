/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that processes have mapped: their functions, found by build-id at their
 * own path, in perf's cache (~/.debug) and in /usr/lib/debug.  Who sends a
 * perf.data chooses paths: only regular files of root's, or of whoever reads
 * the report, are opened.
 */
#ifndef XENOPROF_REPORT_IMPORT_PERF_PERF_FILES_H
#define XENOPROF_REPORT_IMPORT_PERF_PERF_FILES_H

#include "perf-format.h"

#include "base/names.h"
#include "base/table.h"
#include "rows/row-table.h"

struct perf_files {
    struct names paths;
    struct table ids;   /* build-ids by path, as the file's header says */
    struct table files; /* struct perf_file */
};

void perf_files_init(struct perf_files *files);
void perf_files_free(struct perf_files *files);

/* The file with this path has this build-id, unless a mapping says
 * otherwise. */
void perf_files_know(struct perf_files *files, const char *path,
                     const struct perf_build_id *id);
/* Returns the number of a file; id->size may be 0: not said. */
uint32_t perf_files_number(struct perf_files *files, const char *path,
                           const struct perf_build_id *id);
const char *perf_files_path(const struct perf_files *files, uint32_t number);

/* Where code is, by the file's own addresses. */
struct perf_code {
    uint64_t address;
    const char *symbol; /* NULL: not known; owned by the files */
    uint64_t start;     /* of the symbol */
};

/* Finds what is at an offset in the file.  Of a file that is not there, or is
 * another one by now, the address is the offset. */
void perf_files_find(struct perf_files *files, uint32_t number, uint64_t offset,
                     struct perf_code *ret);
/* The same of one of the file's own addresses.  Returns whether it has a
 * symbol. */
bool perf_files_name(struct perf_files *files, uint32_t number,
                     uint64_t address, struct perf_code *ret);
/* Returns the rows of the file, or NULL if there are none. */
const struct row_table *perf_files_rows(struct perf_files *files,
                                        uint32_t number);

/* Opens a file that may be read.  Returns -1 if it may not, or is not
 * there. */
int perf_open_trusted(const char *path);

#endif
