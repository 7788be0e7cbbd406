/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels of a pprof sample: whose it is. */
#ifndef XENOPROF_REPORT_IMPORT_PPROF_LABELS_H
#define XENOPROF_REPORT_IMPORT_PPROF_LABELS_H

#include "pprof-model.h"
#include "sink.h"

#include <stdbool.h>

struct pprof_labels {
    const char *domain, *uuid, *comm; /* NULL: not said */
    uint64_t number, vcpu, pcpu, pid, tid;
    bool numbered, has_process, has_mode;
    uint8_t mode;
};

/* A sample begins. */
void pprof_labels_begin(struct pprof_labels *labels);
/* Takes a label; what is not known of it is passed over.  Returns false if it
 * is not whole. */
bool pprof_labels_take(struct pprof_labels *labels,
                       const struct pprof_model *model, struct cursor message);
/* Sets what they say of a sample; without a domain it is of the one that is
 * called as the file. */
void pprof_labels_end(const struct pprof_labels *labels, struct sink *sink,
                      const char *file, struct xenoprof_stored *sample);

#endif
