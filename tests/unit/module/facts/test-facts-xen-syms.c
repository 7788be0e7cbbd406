/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts of real hypervisors.  XENOPROF_XEN_SYMS names their xen-syms files,
 * separated by ':'; without it the tests are skipped. */
#include "module/facts/evidence.h"
#include "module/facts/facts-list.h"
#include "module/facts/recipes.h"
#include "module/facts/facts-gather.h"
#include "module/facts/code-trace.h"
#include "tests/harness.h"
#include "tests/unit/module/xen-syms-kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct facts_report report;

/* Runs a check on each file. */
static void each_file(void (*check)(const char *path, struct xen_image *image))
{
    const char *list = xen_syms_list();
    char path[XEN_SYMS_PATH];

    while ( xen_syms_next(&list, path) )
    {
        struct xen_image image;

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
        if ( facts_value(facts, i) == XENOPROF_FACT_ABSENT &&
             facts_apply(image, i) )
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

/* Of guests that a Xen does not run the debug information may have fields. */
static void check_dwarf(const char *path, struct xen_image *image)
{
    const struct facts_options options = {.xen_syms = path};
    struct xenoprof_facts code, both;

    gather(path, image, NULL, &code);
    gather(path, image, &options, &both);
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        if ( facts_value(&code, i) != facts_value(&both, i) &&
             (facts_value(&code, i) != XENOPROF_FACT_ABSENT ||
              facts_apply(image, i)) )
            test_fail(__FILE__, __LINE__, "%s: %s", path, report.origin[i]);
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

/* Displacements that are changed in all that is decoded: a field's, and those
 * of its parts. */
static struct {
    unsigned int count;
    int64_t from[4];
    int64_t span;
    int64_t by;
} moving;

bool __real_cs_disasm_iter(csh capstone, const uint8_t **code, size_t *size,
                           uint64_t *address, cs_insn *instruction);
bool __wrap_cs_disasm_iter(csh capstone, const uint8_t **code, size_t *size,
                           uint64_t *address, cs_insn *instruction);

static int64_t moved(int64_t displacement)
{
    for ( unsigned int i = 0; i < moving.count; i++ )
        if ( displacement >= moving.from[i] &&
             displacement < moving.from[i] + moving.span )
            return displacement + moving.by;
    return displacement;
}

/* Also where it is added or subtracted by itself. */
static void move_operand(unsigned int instruction, cs_x86_op *operand)
{
    if ( operand->type == X86_OP_MEM && operand->mem.base != X86_REG_RIP )
        operand->mem.disp = moved(operand->mem.disp);
    else if ( operand->type == X86_OP_IMM && instruction == X86_INS_ADD )
        operand->imm = moved(operand->imm);
    else if ( operand->type == X86_OP_IMM && instruction == X86_INS_SUB )
        operand->imm = -moved(-operand->imm);
}

bool __wrap_cs_disasm_iter(csh capstone, const uint8_t **code, size_t *size,
                           uint64_t *address, cs_insn *instruction)
{
    bool decoded = __real_cs_disasm_iter(capstone, code, size, address,
                                         instruction);

    for ( int i = 0; decoded && i < instruction->detail->x86.op_count; i++ )
        move_operand(instruction->id, &instruction->detail->x86.operands[i]);
    return decoded;
}

/* A uuid is copied in two parts, of control registers the fourth is used, and
 * the roots of two tables lie side by side.  Registers are copied all at
 * once. */
static int64_t span_of(enum xenoprof_fact fact)
{
    switch ( fact )
    {
    case XENOPROF_FACT_domain_handle:
    case XENOPROF_FACT_vcpu_guest_table_user: return 16;
    case XENOPROF_FACT_vcpu_guest_cr: return 32;
    case XENOPROF_FACT_vcpu_user_regs: return 168;
    default: return 4;
    }
}

/* Those of struct cpu_info count down from the end of the stack, which Xen
 * finds from its last byte, from its first, or from the guest's registers. */
static void move_fact(enum xenoprof_fact fact,
                      const struct xenoprof_facts *right)
{
    int64_t value = facts_value(right, fact);

    moving.span = span_of(fact);
    moving.count = 1;
    moving.from[0] = value;
    moving.by = 8;
    if ( strncmp(facts_path(fact), "cpu_info.", 9) )
        return;
    moving.span = 1;
    moving.count = fact == XENOPROF_FACT_cpu_info_regs ? 3 : 4;
    moving.from[0] = -value;
    moving.from[1] = 1 - value;
    moving.from[2] = 0x8000 - value;
    moving.from[3] = right->cpu_info_regs - value;
    moving.by = -8;
}

/* Recipes for all functions take long.  They are followed for the fact itself,
 * and for the one that where its functions look depends on. */
static bool is_followed(const struct facts_recipe *recipe,
                        enum xenoprof_fact fact)
{
    return strcmp(recipe->function, "*") || recipe->fact == fact ||
           (fact == XENOPROF_FACT_vcpu_vmcs_pa &&
            recipe->fact == XENOPROF_FACT_cpu_info_per_cpu_offset);
}

static uint32_t find_fact(const struct xen_image *image,
                          enum xenoprof_fact fact)
{
    size_t count, used = 0;
    const struct facts_recipe *all = facts_recipes(&count);
    struct facts_recipe *some = calloc(count, sizeof(*some));
    struct facts_evidence evidence = {0};
    struct xenoprof_facts facts;

    CHECK(some);
    for ( size_t i = 0; i < count; i++ )
        if ( is_followed(&all[i], fact) )
            some[used++] = all[i];
    CHECK_EQ(facts_follow_recipes(image, some, used, &evidence), 0);
    facts_evidence_settle(&evidence, &facts);
    facts_evidence_free(&evidence);
    free(some);
    return facts_value(&facts, fact);
}

/* Whether this Xen has that field.  A size and a width are no displacements,
 * and a Xen that runs no guests of a kind has nothing of theirs. */
static bool is_field(const struct xenoprof_facts *right,
                     enum xenoprof_fact fact)
{
    return fact != XENOPROF_FACT_page_size &&
           fact != XENOPROF_FACT_page_count_bits &&
           facts_value(right, fact) != XENOPROF_FACT_ABSENT;
}

/* Smaller displacements are those of many fields, and move them all. */
#define OWN_FROM 32

static void check_moved(const char *path, struct xen_image *image)
{
    struct xenoprof_facts right;
    unsigned int seen = 0;

    gather(path, image, NULL, &right);
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
    {
        uint32_t value = facts_value(&right, i), found;

        if ( !is_field(&right, i) )
            continue;
        move_fact(i, &right);
        found = find_fact(image, i);
        moving.count = 0;
        seen += found == value + 8;
        if ( found != value + 8 &&
             (value >= OWN_FROM || found != XENOPROF_FACT_ABSENT) )
            test_fail(__FILE__, __LINE__, "%s: %s is %u, not %u", path,
                      facts_path(i), found, value + 8);
    }
    CHECK(seen >= 20);
}

/* A series that moves its structures, and keeps its code, needs no change. */
TEST(fields_that_have_moved)
{
    each_file(check_moved);
}
