/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the kernel that a perf.data is of: from perf's cache (~/.debug) or,
 * if it is the kernel that runs here, from /proc/kallsyms, by its build-id; and
 * what the kernel said while perf recorded.  Without these addresses stay,
 * which --guest-kernel may name.
 */
#ifndef XENOPROF_REPORT_IMPORT_PERF_PERF_KERNEL_H
#define XENOPROF_REPORT_IMPORT_PERF_PERF_KERNEL_H

#include "base/names.h"
#include "base/vector.h"
#include "perf-format.h"

#include <libxenoprof.h>

/* Code of the kernel's that has a name of its own: a module, or a function that
 * was made at run time. */
struct perf_kernel_part {
    uint64_t start, end;
    uint32_t name;  /* in perf_kernel.names */
    uint32_t image; /* the same: of a file of ours; 0: none */
    bool is_function;
};

struct perf_kernel {
    struct xenoprof_handle *handle;
    struct xenoprof_symbols *symbols; /* NULL: there are none */
    struct names names;
    struct perf_build_id id;
    char *release;      /* NULL: not said */
    char reference[64]; /* a symbol, "": none ... */
    uint64_t at;        /* ... where it was when perf recorded */
    uint64_t moved;     /* that less where symbols say that it is */
    bool looked;
    bool own;         /* xenopreport wrote the file: of each function there is
                         the image first, then its name */
    uint64_t changes; /* of what is where, so far */
    struct {
        VECTOR(struct perf_kernel_part);
    } parts; /* by start */
};

void perf_kernel_init(struct perf_kernel *kernel);
void perf_kernel_free(struct perf_kernel *kernel);

/* Takes an MMAP of the kernel's. */
void perf_kernel_map(struct perf_kernel *kernel, const char *path,
                     uint64_t start, uint64_t size, uint64_t offset);
/* Takes a KSYMBOL record's function; gone: it is not there any more. */
void perf_kernel_function(struct perf_kernel *kernel, const char *name,
                          uint64_t start, uint64_t size, bool gone);

/* What is at an address. */
struct perf_kernel_code {
    const char *image;  /* "kernel", or a module; of a file of ours any, as
                           import_image() takes it, or NULL */
    const char *symbol; /* NULL: not known */
    uint64_t start;
    bool own; /* of a file of ours */
};

void perf_kernel_find(struct perf_kernel *kernel, uint64_t address,
                      struct perf_kernel_code *ret);

#endif
