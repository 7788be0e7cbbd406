/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was found by the rules of verdict-rules.def, in the order in which it is
 * said.
 */
#ifndef XENOPROF_REPORT_WHY_VERDICT_ITEMS_H
#define XENOPROF_REPORT_WHY_VERDICT_ITEMS_H

#include "report/model/loaded.h"

#define VERDICT_ITEMS   16u /* more than all rules find */
#define VERDICT_NOBODYS UINT32_MAX

enum verdict_rank {
    VERDICT_TRUST,       /* how far numbers are to be trusted */
    VERDICT_SATURATION,  /* what is short */
    VERDICT_UTILISATION, /* what is full */
    VERDICT_CAUSE,       /* what guests could do without */
    VERDICT_GAP          /* what is not known */
};

struct verdict_rule {
    const char *name;
    enum verdict_rank rank;
    double least;
    const char *sentence, *command;
};

/* Texts are malloc'ed, and not clean. */
struct verdict_item {
    const struct verdict_rule *rule;
    uint32_t domain; /* index into loaded.domains; or VERDICT_NOBODYS */
    double percent;  /* 0: it is of nothing */
    char *text, *command;
};

struct verdict_items {
    struct verdict_item item[VERDICT_ITEMS];
    size_t count;
};

/* Adds what was found, if it is percent or more of the rule's least; takes
 * found and name, which are malloc'ed. */
void verdict_add(struct verdict_items *items, const struct loaded *loaded,
                 const struct verdict_rule *rule, uint32_t domain,
                 double percent, char *found, char *name);
void verdict_items_free(struct verdict_items *items);

/* "trust", "saturation" and so on, for data. */
const char *verdict_rank_name(enum verdict_rank rank);

#endif
