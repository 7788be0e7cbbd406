/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header's lines on guests: their kernels, and how true their chains
 * are. */
#include "report/model/chain-ends.h"
#include "report/model/domains.h"
#include "flat-header.h"
#include "header-line.h"
#include "report/model/kernel-attribute.h"

#include <inttypes.h>
#include <stdlib.h>

static bool show_kernel(const struct report *report, uint32_t domain,
                        const struct kernel_attribute *attribute, bool first,
                        FILE *file)
{
    struct header_line line = header_line_begin(report, file);
    char *name = domain_text(report->loaded, domain);
    char *text = kernel_attribute_text(attribute);
    bool done = name && text;

    if ( done )
        header_line_add(&line, "%s: %s", name, text);
    free(name);
    free(text);
    return header_line_end(&line, first ? "kernels" : "") && done;
}

static bool show_kernels(const struct report *report, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    bool first = true, done = true;

    for ( uint32_t i = 0; done && i < loaded->domains.count; i++ )
    {
        struct kernel_attribute attribute;

        if ( !kernel_attribute_read(loaded, i, &attribute) )
            continue;
        done = show_kernel(report, i, &attribute, first, file);
        first = false;
        kernel_attribute_free(&attribute);
    }
    return done;
}

/* "web (1), 847 in kernel: 97.3 % reached their root, 1.1 % ..." */
static bool show_ends(const struct report *report, uint32_t domain,
                      enum xenoprof_mode mode, const struct chain_ends *ends,
                      const char *title, FILE *file)
{
    enum xenoprof_ended order[XENOPROF_ENDS];
    unsigned int count = chain_ends_sort(ends, order);
    struct header_line line = header_line_begin(report, file);
    char *name = domain_text(report->loaded, domain);

    header_line_add(&line, "%s, %" PRIu64 " in %s: ", name ? name : "?",
                    ends->samples, xenoprof_mode_name(mode));
    free(name);
    for ( unsigned int i = 0; i < count; i++ )
        header_line_add(&line, "%s%.1f%% %s", i ? ", " : "",
                        100.0 * (double)ends->ended[order[i]] /
                            (double)ends->samples,
                        xenoprof_ended_text(order[i]));
    return header_line_end(&line, title);
}

static bool show_chains(const struct report *report, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    const char *title = "chains";
    bool recorded[CHAIN_MODES];

    chain_ends_recorded(loaded, recorded);
    for ( uint32_t i = DOMAIN_INDEX_IDLE + 1; i < loaded->domains.count; i++ )
        for ( unsigned int m = 0; m < CHAIN_MODES; m++ )
        {
            struct chain_ends ends = chain_ends_count(loaded, i,
                                                      chain_modes[m]);

            if ( !recorded[m] || !ends.samples )
                continue;
            if ( !show_ends(report, i, chain_modes[m], &ends, title, file) )
                return false;
            title = "";
        }
    return true;
}

bool flat_header_guests(const struct report *report, FILE *file)
{
    return show_kernels(report, file) && show_chains(report, file);
}
