/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs each function of a section. */
#include "cfi-rows.h"

#include "cfi-rule.h"

#define CIES 16u /* linkers leave a few of each file, used in turns */

/* A CIE that was read and run. */
struct known_cie {
    size_t offset;
    bool known;
    bool good;
    struct cfi_cie cie;
    struct cfi_state initial;
};

static const struct known_cie *find_cie(struct known_cie *known,
                                        const struct cfi_section *section,
                                        size_t offset)
{
    struct known_cie *cie = &known[(offset >> 2) % CIES];
    struct cfi_run run;

    if ( !cie->known || cie->offset != offset )
    {
        cie->known = true;
        cie->offset = offset;
        cie->good = cfi_read_cie(section, offset, &cie->cie) &&
                    cfi_run_cie(&run, section, &cie->cie);
        if ( cie->good )
            cie->initial = run.initial;
    }
    return cie->good ? cie : NULL;
}

static void add_cfi_rows(struct cfi_run *run, bool signal,
                         struct row_builder *builder)
{
    static const struct row_rule unknown = {.kind = RULE_UNKNOWN};
    uint64_t address;

    while ( !row_builder_failed(builder) && cfi_run_next(run, &address) )
    {
        struct row_rule rule = cfi_rule(&run->state, signal);

        row_builder_row(builder, address, &rule);
    }
    if ( run->bad )
        row_builder_row(builder, address, &unknown);
}

size_t cfi_rows(const struct cfi_section *section, struct row_builder *builder)
{
    struct cursor from = {section->bytes, section->bytes + section->size,
                          false};
    struct known_cie known[CIES] = {{.known = false}};
    struct cfi_entry entry;
    struct cfi_fde fde;
    struct cfi_run run;
    size_t bad = 0;

    while ( !row_builder_failed(builder) &&
            cfi_next_entry(section, &from, &entry) )
    {
        const struct known_cie *cie;

        if ( entry.common )
            continue;
        cie = find_cie(known, section, entry.cie);
        if ( !cie || !cfi_read_fde(section, &cie->cie, &entry, &fde) )
        {
            bad++;
            continue;
        }
        run.cie = &cie->cie;
        run.section = section;
        run.initial = cie->initial;
        cfi_run_fde(&run, &fde);
        row_builder_function(builder, fde.start, fde.end);
        add_cfi_rows(&run, cie->cie.signal, builder);
    }
    return bad + from.bad;
}
