/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What samples are told apart by, as other tools are given it. */
#include "export-walk.h"

#include "base/must.h"
#include "report/model/domain-text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static char *domain_name(const struct loaded *loaded, uint64_t value)
{
    const struct loaded_domain *domain = loaded_domain(loaded, (uint32_t)value);
    const char *name = names_text(&loaded->names, domain->name);

    return name && *name ? must(strdup(name))
                         : must_text("%" PRIu32, domain->key.number);
}

static char *number_in_words(const struct loaded *loaded, uint64_t value)
{
    (void)loaded;
    return must_text("%" PRIu64, value);
}

static char *uuid_text(const struct loaded *loaded, uint64_t value)
{
    char *text = must(calloc(1, UUID_TEXT));

    domain_uuid(loaded_domain(loaded, (uint32_t)value), text);
    return text;
}

const struct walk_label_kind walk_labels[WALK_LABELS] = {
    [WALK_DOMAIN] = {"domain", false, LABEL_DOMAIN, domain_name},
    [WALK_DOMID] = {"domid", true, LABEL_DOMAIN, number_in_words},
    [WALK_UUID] = {"uuid", false, LABEL_DOMAIN, uuid_text},
    [WALK_MODE] = {"mode", false, LABEL_MODE, NULL},
    [WALK_VCPU] = {"vcpu", true, LABEL_VCPU, NULL},
    [WALK_PCPU] = {"pcpu", true, LABEL_PCPU, NULL},
    [WALK_ENTRY] = {"entry", false, LABEL_ENTRY, NULL},
    [WALK_PROCESS] = {"process", false, LABEL_COMM, NULL},
    [WALK_PID] = {"pid", true, LABEL_PID, NULL},
    [WALK_THREAD] = {"thread", true, LABEL_TID, NULL},
    [WALK_EXE] = {"exe", false, LABEL_EXE, NULL},
    [WALK_CGROUP] = {"cgroup", false, LABEL_CGROUP, NULL},
    [WALK_UNIT] = {"unit", false, LABEL_UNIT, NULL},
    [WALK_CONTAINER] = {"container", false, LABEL_CONTAINER, NULL},
    [WALK_POD] = {"pod", false, LABEL_POD, NULL},
};

uint64_t walk_label_value(const struct export_walk *walk,
                          const struct cell *cell, enum walk_label label)
{
    const uint64_t value = label_value(cell, walk_labels[label].label);
    const struct loaded_domain *domain;

    if ( (label == WALK_VCPU || label == WALK_PCPU) && value == CELL_SEVERAL )
        return LABEL_NONE;
    if ( walk_labels[label].label != LABEL_DOMAIN )
        return value;
    domain = loaded_domain(walk->loaded, (uint32_t)value);
    if ( domain->key.other && label != WALK_DOMAIN )
        return LABEL_NONE;
    return label == WALK_DOMID ? domain->key.number : value;
}

const char *walk_label_text(struct export_walk *walk, enum walk_label label,
                            uint64_t value)
{
    const struct walk_label_kind *kind = &walk_labels[label];
    const struct walk_label_text key = {.key = {value, label}};
    struct walk_label_text *known = must(
        table_put(&walk->label_texts, &key.key));

    if ( !known->text )
        known->text = kind->text
                          ? kind->text(walk->loaded, value)
                          : label_kind(kind->label)->text(walk->loaded, value);
    return known->text;
}
