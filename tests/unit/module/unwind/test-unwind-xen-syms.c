/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables of real hypervisors.  XENOPROF_XEN_SYMS names their xen-syms
 * files, separated by ':'; without it the tests are skipped.
 *
 * Where a file has .debug_frame, the compiler's own data, each instruction of
 * the table is compared with it.  The compiler does not know what inline
 * assembly pushes, so the table may be deeper, but only for such a reason.
 */
#include "hypervisor/xen-stack/unwind-check.h"
#include "module/disassembler.h"
#include "module/unwind/encode.h"
#include "module/unwind/flow.h"
#include "module/unwind/own-text.h"
#include "module/unwind/unwind-table.h"
#include "tests/harness.h"
#include "tests/unit/module/xen-syms-kit.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DWARF_RBP 6
#define DWARF_RSP 7
#define DWARF_R10 10
#define DEEPER    48 /* bytes that assembly pushes at most */

/* How the table compares with .debug_frame at an instruction. */
enum relation {
    NOT_COMPARED, /* entry code, or a side without data */
    EQUAL,
    DEEPER_HERE, /* the table knows a push that .debug_frame does not */
    DIFFERENT
};

struct comparison {
    struct xen_image image;
    struct xenoprof_unwind *bytes;
    struct unwind_report report;
    struct unwind_table table;
    struct listing_symbol *symbols;
    struct listing_text text;
    struct listing code;
    struct unwind_fixups fixups;
    struct jump_tables tables;
    struct unwind_frame *frames; /* the table was made from these */
    int file;
    Dwarf *dwarf;
    Dwarf_CFI *cfi;

    uint8_t *relations; /* for each instruction */
    int32_t *deeper;    /* likewise: bytes */
    unsigned int counts[4];
    unsigned int rbp_equal;
};

/* Runs a check on each file. */
static void each_file(void (*check)(const char *path))
{
    const char *list = xen_syms_list();
    char path[XEN_SYMS_PATH];

    while ( xen_syms_next(&list, path) )
        check(path);
}

static void make_table(const char *path, const char *object,
                       struct xen_image *image, struct xenoprof_unwind **table,
                       struct unwind_report *report)
{
    if ( xen_image_open_elf(image, path) )
        test_fail(__FILE__, __LINE__, "cannot read %s", path);
    if ( unwind_generate(image, object, table, report) )
        test_fail(__FILE__, __LINE__, "%s: %s", path, report->error);
}

/* From 4.21 on Xen has code for compressed frame numbers behind jumps that boot
 * puts in: Xen commit bd0b3a876d ("pdx: allow per-arch optimization of PDX
 * conversion helpers").  In a file nothing leads there. */
static unsigned int least_covered(const struct xen_image *image)
{
    return xen_image_find(image, "pfn_pdx_compression_setup") ? 9980 : 9990;
}

static void check_coverage(const char *path)
{
    struct xen_image image;
    struct xenoprof_unwind *table;
    struct unwind_report report;
    struct unwind_table checked;
    char line[128];

    make_table(path, "xenoprof-module.o", &image, &table, &report);
    unwind_report_line(&report, line, sizeof(line));
    printf("# %s: %s\n", path, line);
    printf("# entry code %u, apart %u, unknown %u, unreached %u\n",
           report.entry, report.apart, report.unknown, report.unreached);
    CHECK_EQ(table->regions, 2);
    CHECK(unwind_check(table, table->size, OWN_TEXT_ADDRESS, &checked));
    if ( report.covered < least_covered(&image) )
        test_fail(__FILE__, __LINE__, "%s: %s; most of what is missing is %s",
                  path, line, report.gaps[0].name);
    CHECK(report.kinds[XENOPROF_UNWIND_RBP] > 1000);
    CHECK(report.kinds[XENOPROF_UNWIND_DRAP] > 100);
    CHECK(report.kinds[XENOPROF_UNWIND_REGS] > 100);
    free(table);
    xen_image_close(&image);
}

TEST(nearly_all_code_is_covered)
{
    each_file(check_coverage);
}

static void open_comparison(struct comparison *comparison, const char *path)
{
    memset(comparison, 0, sizeof(*comparison));
    make_table(path, NULL, &comparison->image, &comparison->bytes,
               &comparison->report);
    CHECK(unwind_check(comparison->bytes, comparison->bytes->size, 0,
                       &comparison->table));
    comparison->text = (struct listing_text){
        .address = comparison->image.text.address,
        .bytes = comparison->image.text.bytes,
        .size = comparison->image.text.size};
    CHECK_EQ(listing_symbols(&comparison->image, NULL, &comparison->symbols,
                             &comparison->code.symbol_count),
             0);
    comparison->code.symbols = comparison->symbols;
    comparison->code.texts = &comparison->text;
    comparison->code.text_count = 1;
    CHECK_EQ(listing_read(&comparison->code), 0);
    CHECK_EQ(unwind_assign_roles(&comparison->code, &comparison->image,
                                 &comparison->fixups),
             0);
    comparison->frames = calloc(comparison->code.count,
                                sizeof(*comparison->frames));
    CHECK(comparison->frames);
    CHECK_EQ(jump_tables_find(&comparison->code, &comparison->image.rodata,
                              &comparison->tables),
             0);
    CHECK_EQ(unwind_follow(&comparison->code, &comparison->fixups,
                           &comparison->tables, comparison->frames),
             0);
    comparison->relations = calloc(comparison->code.count, 1);
    comparison->deeper = calloc(comparison->code.count, sizeof(int32_t));
    CHECK(comparison->relations && comparison->deeper);
    comparison->file = open(path, O_RDONLY | O_CLOEXEC);
    comparison->dwarf = dwarf_begin(comparison->file, DWARF_C_READ);
    if ( comparison->dwarf )
        comparison->cfi = dwarf_getcfi(comparison->dwarf);
}

static void close_comparison(struct comparison *comparison)
{
    dwarf_end(comparison->dwarf);
    close(comparison->file);
    free(comparison->relations);
    free(comparison->deeper);
    free(comparison->frames);
    free(comparison->fixups.list);
    jump_tables_free(&comparison->tables);
    listing_free(&comparison->code);
    free(comparison->symbols);
    free(comparison->bytes);
    xen_image_close(&comparison->image);
}

/* A register and a distance, or what lies there. */
struct dwarf_account {
    int reg;
    int64_t offset;
    bool indirect;
};

static bool read_account(Dwarf_Frame *frame, struct dwarf_account *account)
{
    Dwarf_Op *ops;
    size_t count;

    if ( dwarf_frame_cfa(frame, &ops, &count) || !count )
        return false;
    *account = (struct dwarf_account){.indirect = count == 2 &&
                                                  ops[1].atom == DW_OP_deref};
    if ( ops[0].atom == DW_OP_bregx )
    {
        account->reg = ops[0].number;
        account->offset = ops[0].number2;
    }
    else if ( ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31 )
    {
        account->reg = ops[0].atom - DW_OP_breg0;
        account->offset = ops[0].number;
    }
    else
        return false;
    return count == 1 || account->indirect;
}

/* The table uses rsp where it can, the compiler rbp or r10 if it set them up:
 * then rbp and r10 are compared. */
static bool same_otherwise(const struct unwind_frame *frame,
                           const struct dwarf_account *account)
{
    if ( account->indirect || frame->base != UNWIND_BASE_RSP )
        return false;
    if ( account->reg == DWARF_RBP )
        return frame->framed && frame->frame == account->offset;
    return account->reg == DWARF_R10 && frame->alias == CODE_R10 &&
           frame->alias_depth == account->offset;
}

static bool same_register(const struct xenoprof_unwind_state *state,
                          const struct dwarf_account *account)
{
    switch ( state->kind )
    {
    case XENOPROF_UNWIND_RSP:
        return account->reg == DWARF_RSP && !account->indirect;
    case XENOPROF_UNWIND_RBP:
        return account->reg == DWARF_RBP && !account->indirect;
    case XENOPROF_UNWIND_DRAP:
        return account->reg == DWARF_RBP && account->indirect;
    case XENOPROF_UNWIND_R10:
        return account->reg == DWARF_R10 && !account->indirect;
    default: return false;
    }
}

/* Returns where rbp is saved, as an offset from the CFA, or 0. */
static int64_t dwarf_rbp(Dwarf_Frame *frame)
{
    Dwarf_Op room[3], *ops;
    size_t count;

    if ( dwarf_frame_register(frame, DWARF_RBP, room, &ops, &count) || !ops ||
         count < 2 || ops[0].atom != DW_OP_call_frame_cfa )
        return 0;
    return ops[1].number;
}

/* Where rbp is saved or restored by mov, for a while both the register and the
 * word have the caller's value.  gcc 16 says that it is saved only between the
 * instruction that overwrites it and the one that gives back the frame. */
#define BOTH_AT_MOST 64u /* instructions */

/* Returns whether insn is soon behind such a mov, which found rbp as then. */
static bool soon_after(const struct comparison *comparison, uint32_t insn,
                       enum unwind_op mov, enum xenoprof_unwind_rbp then)
{
    const struct unwind_insn *before = &comparison->code.items[insn];
    const struct xenoprof_unwind_state *state;

    for ( uint32_t i = 0; i < BOTH_AT_MOST && i < insn; i++ )
        if ( (--before)->op == mov )
        {
            state = unwind_find(&comparison->table, before->address);
            return state && state->rbp_saved == then;
        }
    return false;
}

static bool in_both(const struct comparison *comparison, uint32_t insn,
                    enum xenoprof_unwind_rbp ours, int64_t saved)
{
    if ( saved )
        return ours == XENOPROF_UNWIND_RBP_KEPT &&
               soon_after(comparison, insn, UNWIND_OP_LOAD_RBP,
                          XENOPROF_UNWIND_RBP_SAVED);
    return ours == XENOPROF_UNWIND_RBP_SAVED &&
           soon_after(comparison, insn, UNWIND_OP_STORE_RBP,
                      XENOPROF_UNWIND_RBP_KEPT);
}

static void compare_rbp(struct comparison *comparison, Dwarf_Frame *frame,
                        const struct xenoprof_unwind_state *state,
                        uint32_t insn)
{
    uint64_t address = comparison->code.items[insn].address;
    int64_t saved = dwarf_rbp(frame);
    bool ours = state->rbp_saved == XENOPROF_UNWIND_RBP_SAVED;

    if ( state->kind != XENOPROF_UNWIND_RSP &&
         state->kind != XENOPROF_UNWIND_RBP )
        return;
    if ( in_both(comparison, insn, state->rbp_saved, saved) )
        return;
    if ( ours != !!saved || (ours && state->rbp != saved) )
        test_fail(__FILE__, __LINE__,
                  "%llx: rbp is saved at CFA%+lld, the table says %u at %+d",
                  (unsigned long long)address, (long long)saved,
                  state->rbp_saved, state->rbp);
    comparison->rbp_equal++;
}

static enum relation compare_one(struct comparison *comparison, uint32_t insn)
{
    uint64_t address = comparison->code.items[insn].address;
    const struct xenoprof_unwind_state *state = unwind_find(&comparison->table,
                                                            address);
    struct dwarf_account account;
    Dwarf_Frame *frame;
    enum relation relation = DIFFERENT;

    CHECK(state);
    if ( state->kind == XENOPROF_UNWIND_NONE ||
         state->kind >= XENOPROF_UNWIND_REGS ||
         unwind_is_padding(&comparison->code.items[insn],
                           &comparison->frames[insn]) ||
         dwarf_cfi_addrframe(comparison->cfi, address, &frame) )
        return NOT_COMPARED;
    if ( !read_account(frame, &account) )
        test_fail(__FILE__, __LINE__, "%llx: .debug_frame is not understood",
                  (unsigned long long)address);
    if ( same_register(state, &account) )
        comparison->deeper[insn] = state->cfa - account.offset;
    if ( same_otherwise(&comparison->frames[insn], &account) )
    {
        comparison->deeper[insn] = 0;
        compare_rbp(comparison, frame, state, insn);
        relation = EQUAL;
    }
    else if ( same_register(state, &account) && state->cfa == account.offset )
    {
        compare_rbp(comparison, frame, state, insn);
        relation = EQUAL;
    }
    else if ( state->kind == XENOPROF_UNWIND_RSP &&
              same_register(state, &account) && state->cfa > account.offset &&
              state->cfa - account.offset <= DEEPER )
        relation = DEEPER_HERE;
    free(frame);
    return relation;
}

/* Returns the bytes by which an instruction moves the stack pointer down on its
 * way to the next one. */
static int32_t effect(const struct unwind_insn *insn)
{
    switch ( insn->op )
    {
    case UNWIND_OP_PUSH:
    case UNWIND_OP_CALL: return 8;
    case UNWIND_OP_POP: return -8;
    case UNWIND_OP_ADD: return -insn->value;
    case UNWIND_OP_LEA: return -insn->value;
    default: return 0;
    }
}

/* Why the table is deeper than .debug_frame at an instruction. */
enum reason {
    NO_REASON,
    STAYS,  /* as deep as where the flow comes from */
    PUSHED, /* by a push, or the like, where the flow comes from */
    CALLED, /* by a call there whose return address stays */
    REASON_COUNT
};

static enum reason reason_from(const struct comparison *comparison,
                               uint32_t from, uint32_t to)
{
    const struct unwind_insn *insn = &comparison->code.items[from];
    int32_t change = comparison->deeper[to] - comparison->deeper[from];
    uint8_t relation = comparison->relations[from];

    if ( relation != EQUAL && relation != DEEPER_HERE )
        return NO_REASON;
    if ( !change )
        return STAYS;
    if ( change != effect(insn) )
        return NO_REASON;
    return insn->op == UNWIND_OP_CALL ? CALLED : PUSHED;
}

/* Tries the instruction before, then those that jump or call there. */
static enum reason reason_of(const struct comparison *comparison, uint32_t insn)
{
    enum reason reason = reason_from(comparison, insn - 1, insn);

    for ( uint32_t i = 0; !reason && i < comparison->code.count; i++ )
        if ( comparison->code.items[i].to == insn )
            reason = reason_from(comparison, i, insn);
    return reason;
}

static void explain_all(const struct comparison *comparison)
{
    unsigned int reasons[REASON_COUNT] = {0};

    for ( uint32_t i = 1; i < comparison->code.count; i++ )
    {
        uint64_t address = comparison->code.items[i].address;
        const struct xen_symbol *symbol = xen_image_at(&comparison->image,
                                                       address);
        enum reason reason;

        if ( comparison->relations[i] == DIFFERENT )
            test_fail(__FILE__, __LINE__, "%s, %llx: the table differs by %d",
                      symbol->name, (unsigned long long)address,
                      comparison->deeper[i]);
        if ( comparison->relations[i] != DEEPER_HERE )
            continue;
        reason = reason_of(comparison, i);
        if ( !reason )
            test_fail(__FILE__, __LINE__,
                      "%s, %llx: no push explains why the table is deeper by "
                      "%d",
                      symbol->name, (unsigned long long)address,
                      comparison->deeper[i]);
        reasons[reason]++;
    }
    printf("# deeper: %u begin with a push in assembly, %u with a call there, "
           "%u go on so\n",
           reasons[PUSHED], reasons[CALLED], reasons[STAYS]);
}

static void check_debug_frame(const char *path)
{
    struct comparison comparison;

    open_comparison(&comparison, path);
    if ( !comparison.cfi )
    {
        close_comparison(&comparison);
        return;
    }
    for ( uint32_t i = 0; i < comparison.code.count; i++ )
        comparison
            .counts[comparison.relations[i] = compare_one(&comparison, i)]++;
    printf("# %s: %u equal, %u deeper, %u different, %u not compared; rbp "
           "equal in %u\n",
           path, comparison.counts[EQUAL], comparison.counts[DEEPER_HERE],
           comparison.counts[DIFFERENT], comparison.counts[NOT_COMPARED],
           comparison.rbp_equal);
    explain_all(&comparison);
    CHECK(comparison.counts[EQUAL] > 100000);
    close_comparison(&comparison);
}

TEST(the_compiler_agrees)
{
    each_file(check_debug_frame);
}

/* Damage anywhere leads to a table that the module accepts. */
static void check_damage(const char *path)
{
    struct xen_image image;
    struct unwind_report report;

    if ( xen_image_open_elf(&image, path) )
        test_fail(__FILE__, __LINE__, "cannot read %s", path);
    srandom(7);
    for ( int round = 0; round < 4; round++ )
    {
        struct xenoprof_unwind *bytes;
        struct unwind_table table;

        for ( int i = 0; i < 2000; i++ )
            image.contents[random() % (image.text.size + image.rodata.size)] ^=
                1 << random() % 8;
        CHECK_EQ(unwind_make(&image, NULL, &bytes, &report), 0);
        CHECK(unwind_check(bytes, bytes->size, 0, &table));
        free(bytes);
    }
    xen_image_close(&image);
}

TEST(damaged_code)
{
    each_file(check_damage);
}
