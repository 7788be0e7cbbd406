/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a profile of pprof says beside its samples, by the numbers that these
 * have for it.
 */
#ifndef XENOPROF_REPORT_IMPORT_PPROF_MODEL_H
#define XENOPROF_REPORT_IMPORT_PPROF_MODEL_H

#include "base/buffer.h"
#include "base/names.h"
#include "base/table.h"
#include "base/vector.h"

struct pprof_image {
    uint64_t id;
    uint32_t file; /* text */
};

struct pprof_symbol {
    uint64_t id;
    uint32_t name; /* text */
};

struct pprof_location {
    uint64_t id;
    uint64_t image, address;
    size_t first, count; /* lines: the innermost inlined one first */
};

struct pprof_type {
    uint32_t name, unit; /* texts */
};

/* Texts are numbers in names. */
struct pprof_model {
    struct names names;
    struct {
        VECTOR(uint32_t);
    } strings; /* the profile's numbers of texts: text */
    struct table images, symbols, places;
    struct {
        VECTOR(uint64_t);
    } lines; /* numbers of symbols */
    struct {
        VECTOR(struct pprof_type);
    } types;
    uint32_t usual; /* default_sample_type: text; 0: not said */
    uint64_t time, duration;
};

/* Reads a profile but for its samples; the bytes are needed no longer.  Returns
 * NULL, or what is wrong with it.  pprof_model_free() in any case. */
const char *pprof_model_read(struct pprof_model *model, struct cursor profile);
void pprof_model_free(struct pprof_model *model);

/* Returns the text that the profile gives this number, "" if it is 0; or NULL
 * if there is none. */
const char *pprof_model_text(const struct pprof_model *model, uint64_t number);

#endif
