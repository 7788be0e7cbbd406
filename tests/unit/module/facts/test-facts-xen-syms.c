/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts of real hypervisors.  XENOPROF_XEN_SYMS names their xen-syms files,
 * separated by ':'; without it the tests are skipped. */
#include "module/facts/evidence.h"
#include "module/facts/facts-list.h"
#include "module/facts/recipes.h"
#include "module/facts/facts-gather.h"
#include "tests/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct facts_report report;

/* Runs a check on each file. */
static void each_file(void (*check)(const char *path, struct xen_image *image))
{
    const char *list = getenv("XENOPROF_XEN_SYMS");
    char path[4096];

    if ( !list || !*list )
        test_skip("XENOPROF_XEN_SYMS names no xen-syms");
    while ( *list )
    {
        size_t length = strcspn(list, ":");
        struct xen_image image;

        snprintf(path, sizeof(path), "%.*s", (int)length, list);
        list += length;
        list += *list == ':';
        if ( !length )
            continue;
        if ( xen_image_open_elf(&image, path) )
            test_fail(__FILE__, __LINE__, "cannot read %s", path);
        check(path, &image);
        xen_image_close(&image);
    }
}

static void gather(const char *path, const struct xen_image *image,
                   const struct facts_options *options,
                   struct xenoprof_facts *facts)
{
    if ( facts_gather(image, options, facts, &report) )
        test_fail(__FILE__, __LINE__, "%s: %s", path, report.error);
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        if ( facts_value(facts, i) == XENOPROF_FACT_ABSENT )
            test_fail(__FILE__, __LINE__, "%s: %s", path, report.origin[i]);
}

static void check_code(const char *path, struct xen_image *image)
{
    struct xenoprof_facts facts;

    gather(path, image, NULL, &facts);
}

TEST(the_code_alone_has_every_fact)
{
    each_file(check_code);
}

static void check_unknown(const char *path, struct xen_image *image)
{
    struct xenoprof_facts with, without;

    gather(path, image, NULL, &with);
    image->build_id_size = 0;
    gather(path, image, NULL, &without);
    CHECK(!memcmp(&with, &without, sizeof(with)));
}

TEST(a_build_that_no_table_knows)
{
    each_file(check_unknown);
}

static void check_dwarf(const char *path, struct xen_image *image)
{
    const struct facts_options options = {.xen_syms = path};
    struct xenoprof_facts code, both;

    gather(path, image, NULL, &code);
    gather(path, image, &options, &both);
    CHECK(!memcmp(&code, &both, sizeof(code)));
}

TEST(the_debug_information_agrees)
{
    each_file(check_dwarf);
}

static void check_known(const char *path, struct xen_image *image)
{
    struct xenoprof_facts facts, known;

    if ( !facts_known(image, &known) )
        return;
    gather(path, image, NULL, &facts);
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        if ( facts_value(&known, i) != XENOPROF_FACT_ABSENT &&
             facts_value(&known, i) != facts_value(&facts, i) )
            test_fail(__FILE__, __LINE__, "%s: %s", path, report.origin[i]);
}

TEST(the_table_agrees)
{
    each_file(check_known);
}

/* Returns the offset of the operand within an instruction, or 0. */
static size_t find_operand(const uint8_t *code, uint32_t value)
{
    for ( size_t i = 2; i < 8; i++ )
        if ( !memcmp(code + i, &value, sizeof(value)) )
            return i;

    return 0;
}

/* Moves a field in the one instruction that a statement is about. */
static bool move_field(struct xen_image *image,
                       const struct facts_statement *statement, int by)
{
    uint64_t offset = statement->address - image->text.address;
    uint32_t value = statement->value, moved;
    size_t operand;

    if ( !statement->function || value < 128 )
        return false;
    operand = find_operand(image->contents + offset,
                           by > 0 ? value : value - by);
    if ( !operand )
        return false;
    moved = by > 0 ? value + by : value;
    memcpy(image->contents + offset + operand, &moved, sizeof(moved));

    return true;
}

/* Whether the result is an error, or facts for sampling that are right. */
static bool is_noticed_or_right(const struct xen_image *image,
                                const struct xenoprof_facts *right)
{
    struct xenoprof_facts facts;

    if ( facts_gather(image, NULL, &facts, &report) )
        return *report.error;
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        if ( facts_value(&facts, i) != facts_value(right, i) &&
             facts_value(&facts, i) != XENOPROF_FACT_ABSENT )
            return false;

    return true;
}

/* Each fact is wrong in one function in turn: a wrong one is never accepted. */
static void check_wrong(const char *path, struct xen_image *image)
{
    bool moved[XENOPROF_FACT_COUNT] = {false};
    struct facts_evidence evidence = {0};
    unsigned int facts_moved = 0;
    struct xenoprof_facts right;
    size_t count;
    const struct facts_recipe *recipes = facts_recipes(&count);

    gather(path, image, NULL, &right);
    CHECK_EQ(facts_follow_recipes(image, recipes, count, &evidence), 0);
    for ( size_t i = 0; i < evidence.count; i++ )
    {
        const struct facts_statement *statement = &evidence.items[i];

        if ( moved[statement->fact] || !move_field(image, statement, 8) )
            continue;
        moved[statement->fact] = true;
        facts_moved++;
        if ( !is_noticed_or_right(image, &right) )
            test_fail(__FILE__, __LINE__, "%s: a wrong fact was taken: %s",
                      path, report.origin[statement->fact]);
        CHECK(move_field(image, statement, -8));
    }
    facts_evidence_free(&evidence);
    CHECK(facts_moved >= 8);
    gather(path, image, NULL, &right);
}

TEST(each_fact_wrong_in_turn)
{
    each_file(check_wrong);
}

/* Damage anywhere leads to facts that are right, or to an error. */
static void check_noise(const char *path, struct xen_image *image)
{
    struct xenoprof_facts right;

    gather(path, image, NULL, &right);
    srandom(7);
    for ( int round = 0; round < 4; round++ )
    {
        for ( int i = 0; i < 2000; i++ )
            image->contents[random() % image->text.size] ^= 1 << random() % 8;
        if ( !is_noticed_or_right(image, &right) )
            test_fail(__FILE__, __LINE__, "%s: a wrong fact was taken", path);
    }
}

TEST(damaged_code)
{
    each_file(check_noise);
}
