/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module of this build, made for a hypervisor with just the symbols that it
 * needs, damaged on disk: each byte of its headers, relocations and notes, and
 * ten thousand others.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assemble-kit.h"
#include "hypervisor/xen-stack/unwind-check.h"
#include "module/facts/facts-list.h"
#include "module/kept.h"
#include "module/payload.h"
#include "module/trailer.h"
#include "tests/unit/hypervisor/stack-kit.h"

#define MADE      "test-kept.made" /* with its trailer */
#define CONTENTS  "test-kept.contents"
#define AGAIN     "test-kept.again"
#define OTHERS    10000u
#define FUNCTIONS 64u

static struct xen_image image;
static struct xenoprof_facts facts;
static struct kit_table table;
static struct assemble_order order = {
    .object = OBJECT, .output = AGAIN, .image = &image};
static unsigned char *made; /* its bytes, with the trailer */
static size_t size, contents;
static bool in_earnest; /* make it each time */

int __real_assemble(const struct assemble_order *order, char *error);
int __wrap_assemble(const struct assemble_order *again, char *error);

/* The same facts and table make the same module: it is made once. */
int __wrap_assemble(const struct assemble_order *again, char *error)
{
    if ( in_earnest || memcmp(again->facts, &facts, sizeof(facts)) ||
         again->unwind->size != table.head->size ||
         memcmp(again->unwind, table.head, table.head->size) )
        return __real_assemble(again, error);
    return symlink(CONTENTS, again->output);
}

static void store(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "we");

    CHECK(file);
    CHECK_EQ(fwrite(bytes, 1, count, file), count);
    CHECK(!fclose(file));
}

static void make(void)
{
    struct assemble_order first = order;
    char error[ASSEMBLE_ERROR_MAX] = "";

    assembled_image(&image, "", "");
    table = kit_table_make(FUNCTIONS);
    facts_clear(&facts);
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        *facts_slot(&facts, i) = 8 * (uint32_t)i;
    order.xen.size = order.own.size = order.depends.size = 20;
    memset(order.xen.bytes, 0x11, 20);
    first = order;
    first.output = MADE;
    first.facts = &facts;
    first.unwind = table.head;
    in_earnest = true;
    if ( assemble(&first, error) )
        test_fail(__FILE__, __LINE__, "%s", error);
    CHECK_EQ(trailer_add(MADE), 0);
    CHECK_EQ(payload_read(MADE, &made, &size), 0);
    CHECK(trailer_fits(made, size, &contents));
}

static void begin(void)
{
    if ( !made )
        make();
    in_earnest = false;
    store(MADE, made, size);
    store(CONTENTS, made, contents);
}

static void end(void)
{
    unlink(MADE);
    unlink(CONTENTS);
    CHECK(access(AGAIN, F_OK));
}

static unsigned int looks;
static void (*look_at)(size_t at);

/* At an Nth of them, if tests do an Nth. */
static void look(size_t at)
{
    if ( looks++ % test_share() == 0 )
        look_at(at);
}

/* Looks at each offset of a header, relocation or note, and at others. */
static void each_offset(void (*how)(size_t at))
{
    const Elf64_Ehdr *head = (const void *)made;
    const Elf64_Shdr *sections = (const void *)(made + head->e_shoff);
    const char *names = (const char *)made +
                        sections[head->e_shstrndx].sh_offset;
    unsigned int seed = 1;

    look_at = how;
    looks = 0;
    for ( size_t i = 0; i < sizeof(*head); i++ )
        look(i);
    for ( size_t i = 0; i < head->e_shnum * sizeof(*sections); i++ )
        look(head->e_shoff + i);
    for ( int k = 1; k < head->e_shnum; k++ )
    {
        const char *name = names + sections[k].sh_name;

        if ( sections[k].sh_type != SHT_RELA &&
             sections[k].sh_type != SHT_NOTE && !strstr(name, "depends") )
            continue;
        for ( size_t i = 0; i < sections[k].sh_size; i++ )
            look(sections[k].sh_offset + i);
    }
    for ( unsigned int i = 0; i < OTHERS; i++ )
        look(((size_t)rand_r(&seed) << 12 ^ (size_t)rand_r(&seed)) % contents);
}

/* Another byte, never the same. */
static unsigned char spoil(size_t at)
{
    static unsigned int seed = 2;

    return (unsigned char)(made[at] ^ (1 + rand_r(&seed) % 255));
}

static void look_at_checksum(size_t at)
{
    unsigned char was = made[at];
    size_t found;

    made[at] = spoil(at);
    if ( trailer_fits(made, size, &found) )
        test_fail(__FILE__, __LINE__, "byte %zu is %#x instead of %#x", at,
                  made[at], was);
    made[at] = was;
}

TEST(damage_is_seen_by_the_checksum)
{
    begin();
    each_offset(look_at_checksum);
    CHECK(looks > 30000);
    end();
}

static size_t offset_of(const char *name)
{
    const Elf64_Ehdr *head = (const void *)made;
    const Elf64_Shdr *sections = (const void *)(made + head->e_shoff);
    const char *names = (const char *)made +
                        sections[head->e_shstrndx].sh_offset;

    for ( int i = 1; i < head->e_shnum; i++ )
        if ( !strcmp(names + sections[i].sh_name, name) )
            return sections[i].sh_offset;
    test_fail(__FILE__, __LINE__, "there is no section %s", name);
}

static size_t facts_at, table_at;
static unsigned int of_facts, of_table;

/* What Xen's module checks: each fact, and all numbers of the table. */
static bool is_checked_in_xen(size_t at)
{
    struct unwind_table checked;

    if ( at - facts_at < sizeof(facts) )
    {
        of_facts++;
        return true;
    }
    if ( at - table_at >= table.head->size )
        return false;
    of_table++;
    memcpy(table.head, made + table_at, table.head->size);
    unwind_check(table.head, table.head->size, 0, &checked);
    return true;
}

static void look_at_bytes(size_t at)
{
    unsigned char was = made[at];
    uint32_t table_size = table.head->size;

    made[at] = spoil(at);
    if ( kept_is_ours(made, contents, &order) && !is_checked_in_xen(at) )
        test_fail(__FILE__, __LINE__, "byte %zu is %#x instead of %#x", at,
                  made[at], was);
    made[at] = was;
    memcpy(table.head, made + table_at, table_size);
}

/* Somebody damaged it, and made the checksum right: code, relocations, symbols
 * and notes must be the installed object's all the same. */
TEST(damage_with_a_right_checksum_is_seen_too)
{
    begin();
    facts_at = offset_of(".xenoprof.facts");
    table_at = offset_of(".xenoprof.unwind");
    of_facts = of_table = 0;
    CHECK(kept_is_ours(made, contents, &order));
    each_offset(look_at_bytes);
    CHECK(looks > 30000);
    /* A few bytes of many: a share of them may meet neither. */
    CHECK((of_facts && of_table) || test_share() > 1);
    end();
}

/* Never more is loaded than was made. */
TEST(bytes_after_or_missing)
{
    begin();
    CHECK(!kept_is_ours(made, contents + 1, &order));
    for ( size_t less = 1; less < contents; less += 997 )
        CHECK(!kept_is_ours(made, contents - less, &order));
    CHECK(!kept_is_ours(made, 0, &order));
    end();
}

TEST(flaws_of_a_file)
{
    begin();
    CHECK(!kept_flaw(MADE, &order));
    CHECK(!truncate(MADE, (off_t)size - 1));
    CHECK_TEXT(kept_flaw(MADE, &order), "was damaged, or cut short");
    CHECK(!truncate(MADE, (off_t)contents));
    CHECK_TEXT(kept_flaw(MADE, &order), "was damaged, or cut short");
    CHECK_EQ(trailer_add(MADE), 0);
    in_earnest = true;
    CHECK(!kept_flaw(MADE, &order));
    CHECK(!unlink(MADE));
    CHECK_TEXT(kept_flaw(MADE, &order), "could not be read");
    end();
}

/* What is wrong with a module whose hypervisor has no symbol where the runs of
 * AMD's guests end, if it was found at a distance from the function's begin. */
static const char *flaw_with_exit(uint64_t distance)
{
    struct xen_image without;
    struct assemble_order first = order, again = order;
    char error[ASSEMBLE_ERROR_MAX] = "";
    const char *flaw;

    assembled_image(&without, "svm_stgi_label", "");
    again.image = first.image = &without;
    first.output = MADE;
    first.facts = &facts;
    first.unwind = table.head;
    first.guest_exit = xen_image_find(&without, "svm_asm_do_resume")->address +
                       distance;
    CHECK_EQ(assemble(&first, error), 0);
    CHECK_EQ(trailer_add(MADE), 0);
    flaw = kept_flaw(MADE, &again);
    xen_image_close(&without);
    return flaw;
}

/* It was found in the code, which is not at hand when a kept module is looked
 * at; no other function is taken for that one. */
TEST(module_that_knows_where_guests_runs_end)
{
    begin();
    in_earnest = true;
    CHECK(!flaw_with_exit(6));
    CHECK_TEXT(flaw_with_exit(0), "was not as this xenoprof makes it");
    CHECK_TEXT(flaw_with_exit(0x10000), "was not as this xenoprof makes it");
    end();
}

TEST(facts_of_a_kept_module)
{
    struct xenoprof_facts found;

    begin();
    CHECK(kept_facts(MADE, &found));
    CHECK(!memcmp(&found, &facts, sizeof(found)));
    CHECK(!truncate(MADE, (off_t)size - 1));
    CHECK(!kept_facts(MADE, &found));
    CHECK(!kept_facts("/nonexistent", &found));
    end();
}

/* It may lie under the name of another. */
TEST(module_of_another_hypervisor)
{
    struct assemble_order other;

    begin();
    other = order;
    other.xen.bytes[19] ^= 1;
    in_earnest = true;
    CHECK_TEXT(kept_flaw(MADE, &other), "was not as this xenoprof makes it");
    end();
}

/* Too little of the hypervisor's code could be followed. */
TEST(a_module_without_an_unwind_table_is_kept)
{
    struct assemble_order without;
    char error[ASSEMBLE_ERROR_MAX] = "";

    begin();
    in_earnest = true;
    without = order;
    without.output = MADE;
    without.facts = &facts;
    CHECK(!without.unwind);
    CHECK_EQ(assemble(&without, error), 0);
    CHECK_EQ(trailer_add(MADE), 0);
    CHECK(!kept_flaw(MADE, &order));
    end();
}
