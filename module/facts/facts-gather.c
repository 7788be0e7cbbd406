/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects what code and debug information state, and accepts or rejects each
 * fact. */
#include "facts-gather.h"

#include "evidence.h"
#include "recipes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct gathering {
    const struct xen_image *image;
    struct facts_evidence evidence;
    struct xenoprof_facts *facts;
    struct facts_report *report;
    struct xenoprof_facts known;
    bool is_known;
};

/* The debug information must be of the same build as the code: then it is
 * enough by itself.  Code without a build-id is of no known build. */
static int check_build(struct gathering *gathering, const char *xen_syms)
{
    const struct xen_image *image = gathering->image;
    struct xen_image other;
    int result = xen_image_open_elf(&other, xen_syms);

    if ( result )
    {
        snprintf(gathering->report->error, FACTS_ERROR_MAX,
                 "cannot read %s as xen-syms: %s", xen_syms, strerror(-result));
        return result;
    }
    if ( !image->build_id_size || other.build_id_size != image->build_id_size ||
         memcmp(other.build_id, image->build_id, image->build_id_size) )
    {
        result = -EXDEV;
        snprintf(
            gathering->report->error, FACTS_ERROR_MAX,
            "%s belongs to another build than the hypervisor; give the xen-syms of the running build, or none",
            xen_syms);
    }
    xen_image_close(&other);

    return result;
}

static int collect(struct gathering *gathering,
                   const struct facts_options *options)
{
    const struct facts_recipe *recipes;
    size_t count;
    int result;

    if ( options && options->xen_syms )
    {
        result = check_build(gathering, options->xen_syms);
        if ( !result )
            result = facts_read_dwarf(options->xen_syms, &gathering->evidence);
        if ( result )
            return result;
    }
    recipes = facts_recipes(&count);

    return facts_follow_recipes(gathering->image, recipes, count,
                                &gathering->evidence);
}

static bool table_objects(const struct gathering *gathering,
                          enum xenoprof_fact fact, uint32_t value)
{
    uint32_t known = gathering->is_known ? facts_value(&gathering->known, fact)
                                         : XENOPROF_FACT_ABSENT;

    return known != XENOPROF_FACT_ABSENT && known != value;
}

static void describe(const struct gathering *gathering, enum xenoprof_fact fact,
                     const struct facts_verdict *verdict)
{
    char *line = gathering->report->origin[fact];
    uint32_t known = gathering->is_known ? facts_value(&gathering->known, fact)
                                         : XENOPROF_FACT_ABSENT;
    char table[48] = "";

    if ( known != XENOPROF_FACT_ABSENT && verdict->weight )
        snprintf(table, sizeof(table),
                 known == verdict->value ? "; table agrees" : "; table says %u",
                 known);
    snprintf(line, FACTS_ORIGIN_MAX - strlen(table), "%s = ", facts_path(fact));
    if ( verdict->weight )
        facts_evidence_print(&gathering->evidence, fact, line,
                             FACTS_ORIGIN_MAX - strlen(table));
    else
        strcat(line, "not found");
    strcat(line, table);
}

/* Returns 0, or what is wrong with a fact; its line goes into the report. */
static int judge(struct gathering *gathering, enum xenoprof_fact fact)
{
    struct facts_verdict verdict;
    bool disagree;

    facts_evidence_judge(&gathering->evidence, fact, &verdict);
    describe(gathering, fact, &verdict);
    disagree = verdict.disagree ||
               (verdict.weight &&
                table_objects(gathering, fact, verdict.value));
    if ( disagree )
        *facts_slot(gathering->facts, fact) = XENOPROF_FACT_ABSENT;
    if ( !facts_vital(fact) || !facts_apply(gathering->image, fact) )
        return 0;
    if ( disagree )
        return -EBADMSG;

    return facts_value(gathering->facts, fact) == XENOPROF_FACT_ABSENT
               ? -ENODATA
               : 0;
}

/* The first failure is reported, but a disagreement before a fact not found. */
static int judge_all(struct gathering *gathering)
{
    enum xenoprof_fact worst = XENOPROF_FACT_COUNT;
    int result = 0;

    facts_evidence_settle(&gathering->evidence, gathering->facts);
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
    {
        int judged = judge(gathering, i);

        if ( judged && (!result || (judged == -EBADMSG && result != judged)) )
        {
            result = judged;
            worst = i;
        }
    }
    if ( result )
        snprintf(
            gathering->report->error, FACTS_ERROR_MAX,
            "%s of this hypervisor: %s (%s); give its xen-syms with debug information, or use a xenoprof that knows this series",
            facts_path(worst),
            result == -EBADMSG ? "sources disagree on its offset"
                               : "fewer than two of its functions show it",
            gathering->report->origin[worst]);

    return result;
}

int facts_gather(const struct xen_image *image,
                 const struct facts_options *options,
                 struct xenoprof_facts *facts, struct facts_report *report)
{
    struct gathering gathering = {
        .image = image,
        .facts = facts,
        .report = report,
    };
    int result;

    memset(report, 0, sizeof(*report));
    facts_clear(facts);
    gathering.is_known = facts_known(image, &gathering.known);
    result = collect(&gathering, options);
    if ( !result )
        result = judge_all(&gathering);
    else if ( !*report->error )
        snprintf(report->error, FACTS_ERROR_MAX,
                 "cannot read the hypervisor's code: %s", strerror(-result));
    facts_evidence_free(&gathering.evidence);

    return result;
}
