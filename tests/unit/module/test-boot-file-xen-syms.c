/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boot files of real hypervisors, held against the xen-syms of their build.
 * XENOPROF_XEN_SYMS names these, separated by ':'; the boot file is called xen,
 * and lies beside each.  Without it the tests are skipped.
 */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module/boot-file.h"
#include "module/facts/facts-gather.h"
#include "module/unwind/unwind-table.h"
#include "tests/harness.h"
#include "tests/unit/module/xen-syms-kit.h"

static void open_both(const char *path, struct xen_image *boot,
                      struct xen_image *syms)
{
    char folder[4096], beside[4096 + 8];

    snprintf(folder, sizeof(folder), "%s", path);
    snprintf(beside, sizeof(beside), "%s/xen", dirname(folder));
    if ( boot_file_open(syms, path) )
        test_fail(__FILE__, __LINE__, "cannot read %s", path);
    if ( boot_file_open(boot, beside) )
        test_fail(__FILE__, __LINE__, "cannot read %s", beside);
}

static void each_build(void (*check)(const struct xen_image *boot,
                                     const struct xen_image *syms))
{
    const char *list = xen_syms_list();
    char path[XEN_SYMS_PATH];

    while ( xen_syms_next(&list, path) )
    {
        struct xen_image boot, syms;

        open_both(path, &boot, &syms);
        check(&boot, &syms);
        xen_image_close(&boot);
        xen_image_close(&syms);
    }
}

static void check_bytes(const struct xen_image *boot,
                        const struct xen_image *syms)
{
    CHECK_EQ(boot->text.address, syms->text.address);
    CHECK(boot->text.size <= syms->text.size);
    CHECK(boot->text.size > 500000);
    CHECK(!memcmp(boot->text.bytes, syms->text.bytes, boot->text.size));
    CHECK_EQ(boot->rodata.address, syms->rodata.address);
    CHECK_EQ(boot->build_id_size, syms->build_id_size);
    CHECK(!memcmp(boot->build_id, syms->build_id, boot->build_id_size));
}

TEST(boot_file_has_the_same_bytes)
{
    each_build(check_bytes);
}

/* Every function of xen-syms that is named once; nine in ten are in the boot
 * file. */
static void check_symbols(const struct xen_image *boot,
                          const struct xen_image *syms)
{
    unsigned int same = 0, all = 0;

    CHECK(boot->symbol_count > 5000);
    for ( size_t i = 0; i < syms->symbol_count; i++ )
    {
        const struct xen_symbol *wanted = &syms->symbols[i];
        const struct xen_symbol *found;
        size_t size;

        if ( (wanted->type | 0x20) != 't' ||
             !xen_image_code(boot, wanted->address, &size) ||
             xen_image_find(syms, xen_bare_name(wanted->name)) != wanted )
            continue;
        all++;
        found = xen_image_find(boot, xen_bare_name(wanted->name));
        if ( found && found->address != wanted->address )
            test_fail(__FILE__, __LINE__, "%s is elsewhere", wanted->name);
        same += found != NULL;
    }
    CHECK(all > 2000);
    CHECK(same > all / 10 * 9);
}

TEST(boot_file_has_the_same_symbols)
{
    each_build(check_symbols);
}

static void check_facts(const struct xen_image *boot,
                        const struct xen_image *syms)
{
    struct facts_report *report = calloc(1, sizeof(*report));
    struct xenoprof_facts found, wanted;

    CHECK(report);
    CHECK_EQ(facts_gather(syms, NULL, &wanted, report), 0);
    CHECK_EQ(facts_gather(boot, NULL, &found, report), 0);
    CHECK(!memcmp(&found, &wanted, sizeof(found)));
    free(report);
}

TEST(boot_file_has_the_same_facts)
{
    each_build(check_facts);
}

static void check_table(const struct xen_image *boot,
                        const struct xen_image *syms)
{
    struct unwind_report *report = calloc(1, sizeof(*report));
    struct xenoprof_unwind *table;
    unsigned int covered;

    CHECK(report);
    CHECK_EQ(unwind_generate(syms, NULL, &table, report), 0);
    free(table);
    covered = report->covered;
    CHECK_EQ(unwind_generate(boot, NULL, &table, report), 0);
    free(table);
    CHECK_EQ(report->covered, covered);
    free(report);
}

TEST(boot_file_has_the_same_table)
{
    each_build(check_table);
}
