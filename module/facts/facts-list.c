/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of facts, and of builds whose facts are known. */
#include "facts-list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    const char *path;
    int need;
    size_t offset;
} list[] = {
#define XENOPROF_FACT(name, need, path, what)                                  \
    {#name, path, XENOPROF_FACTS_NEED_##need,                                  \
     offsetof(struct xenoprof_facts, name)},
#include <xenoprof/facts.def>
#undef XENOPROF_FACT
};

static const struct {
    const char *build_id;
    const char *facts;
} known[] = {
#define KNOWN_BUILD(build, build_id, facts) {build_id, facts},
#include "known-builds.def"
#undef KNOWN_BUILD
};

const char *facts_path(enum xenoprof_fact fact)
{
    return list[fact].path;
}

/* What each need is about, by a function that Xen has only for that.  All are
 * older than hypfs, without which there is no module. */
static const char *const functions[] = {
    [XENOPROF_FACTS_NEED_AMD] = "svm_asm_do_resume",
    [XENOPROF_FACTS_NEED_PV] = "pv_domain_initialise",
    [XENOPROF_FACTS_NEED_HVM] = "hvm_domain_initialise",
    [XENOPROF_FACTS_NEED_WAITS] = NULL,
    [XENOPROF_FACTS_NEED_VMX] = "vmx_asm_vmexit_handler",
};

bool facts_apply(const struct xen_image *image, enum xenoprof_fact fact)
{
    const char *function = functions[list[fact].need];

    return !function || xen_image_find(image, function);
}

bool facts_vital(enum xenoprof_fact fact)
{
    return list[fact].need == XENOPROF_FACTS_NEED_SAMPLING ||
           list[fact].need == XENOPROF_FACTS_NEED_AMD;
}

bool facts_for_waits(enum xenoprof_fact fact)
{
    return list[fact].need == XENOPROF_FACTS_NEED_WAITS;
}

bool facts_for_entries(enum xenoprof_fact fact)
{
    return list[fact].need == XENOPROF_FACTS_NEED_VMX;
}

enum xenoprof_fact facts_index(const char *name, size_t length)
{
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        if ( strlen(list[i].name) == length &&
             !memcmp(list[i].name, name, length) )
            return i;

    return XENOPROF_FACT_COUNT;
}

uint32_t *facts_slot(struct xenoprof_facts *facts, enum xenoprof_fact fact)
{
    return (uint32_t *)((char *)facts + list[fact].offset);
}

uint32_t facts_value(const struct xenoprof_facts *facts,
                     enum xenoprof_fact fact)
{
    return *(const uint32_t *)((const char *)facts + list[fact].offset);
}

void facts_clear(struct xenoprof_facts *facts)
{
    *facts = (struct xenoprof_facts){
        .magic = XENOPROF_FACTS_MAGIC,
        .version = XENOPROF_FACTS_VERSION,
        .size = sizeof(*facts),
        .count = XENOPROF_FACT_COUNT,
    };
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        *facts_slot(facts, i) = XENOPROF_FACT_ABSENT;
}

void facts_absent_line(const struct xen_image *image,
                       const struct xenoprof_facts *facts, char *line,
                       size_t size)
{
    size_t used = 0;

    *line = '\0';
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        if ( facts_value(facts, i) == XENOPROF_FACT_ABSENT &&
             facts_apply(image, i) && used < size )
            used += (size_t)snprintf(
                line + used, size - used, "%s %s",
                used ? "," : "facts not found:", facts_path(i));
    if ( used && used < size )
        snprintf(line + used, size - used,
                 "; --xen-syms=FILE helps, with debug information of this "
                 "build");
}

int facts_set(struct xenoprof_facts *facts, const char *text)
{
    while ( *(text += strspn(text, " \n")) )
    {
        size_t length = strcspn(text, "= \n");
        enum xenoprof_fact fact = facts_index(text, length);
        char *end;

        if ( fact == XENOPROF_FACT_COUNT || text[length] != '=' )
            return -EINVAL;
        text += length + 1;
        *facts_slot(facts, fact) = strtoul(text, &end, 0);
        if ( end == text || (*end && *end != ' ' && *end != '\n') )
            return -EINVAL;
        text = end;
    }

    return 0;
}

bool facts_known(const struct xen_image *image, struct xenoprof_facts *facts)
{
    char build_id[2 * XEN_IMAGE_BUILD_ID_MAX + 1] = "";

    for ( size_t i = 0; i < image->build_id_size; i++ )
        sprintf(build_id + 2 * i, "%02x", image->build_id[i]);

    for ( size_t i = 0; i < sizeof(known) / sizeof(*known); i++ )
        if ( !strcmp(known[i].build_id, build_id) )
        {
            facts_clear(facts);
            return !facts_set(facts, known[i].facts);
        }

    return false;
}
