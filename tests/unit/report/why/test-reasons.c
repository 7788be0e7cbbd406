/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/why/reasons.h"
#include "tests/unit/report/model/report-kit.h"

#include <string.h>

/* A place's letter, and what the function of Xen there is really called. */
static void call_it(struct report_kit *kit, char letter, const char *symbol)
{
    struct loaded_place *place = table_at(
        &kit->loaded.places,
        table_index(&kit->loaded.places,
                    table_find(&kit->loaded.places,
                               &(uint64_t){kit_place(kit, letter)})));

    CHECK(names_add(&kit->loaded.names, symbol, &place->name.symbol));
}

/* "REASON" or "REASON PART" of one chain: letters as in the kit, and their
 * names. */
static const char *reason_of(const char *chain, const char *const names[],
                             uint8_t ended)
{
    struct report_kit kit;
    static char name[80];
    struct cell *cell;
    struct chain_reason *reasons, found;

    kit_begin(&kit);
    cell = kit_samples(&kit, KIT_WEB, chain, 1);
    cell = kit_cell(&kit,
                    (struct cell_key){.domain = KIT_WEB,
                                      .place = cell->key.place,
                                      .call = cell->key.call,
                                      .called = cell->key.called,
                                      .mode = cell->key.mode,
                                      .ended = ended},
                    1);
    for ( size_t i = 0; names[i]; i++ )
        call_it(&kit, names[i][0], names[i] + 2);
    kit_build(&kit);
    reasons = reasons_find(&kit.loaded, &kit.stacks);
    CHECK(reasons);
    cell = table_at(&kit.loaded.cells, kit.loaded.cells.count - 1);
    found = reasons[cell->chain];
    snprintf(name, sizeof(name), "%s%s%s",
             reason_text((enum xen_reason)found.reason)->name,
             found.part ? " " : "",
             found.part ? part_text((enum xen_part)found.part)->name : "");
    free(reasons);
    kit_end(&kit);
    return name;
}

#define REASON_OF(chain, ...)                                                  \
    reason_of(chain, (const char *const[]){__VA_ARGS__, NULL},                 \
              XENOPROF_ENDED_ROOT)

TEST(a_function_of_xen_says_why)
{
    CHECK_TEXT(REASON_OF("kABCD", "A=lstar_enter", "B=pv_hypercall",
                         "C=do_iret", "D=toggle_guest_mode"),
               "hypercall_iret");
    CHECK_TEXT(REASON_OF("kAB", "A=lstar_enter", "B=unheard_of"), "hypercall");
}

TEST(the_innermost_work_counts)
{
    CHECK_TEXT(REASON_OF("kABCD", "A=lstar_enter", "B=do_mmu_update",
                         "C=common_interrupt", "D=do_IRQ"),
               "interrupt");
    CHECK_TEXT(REASON_OF("kABC", "A=do_multicall", "B=do_mmu_update",
                         "C=flush_area_mask"),
               "hypercall_mmu_update");
}

TEST(a_way_in_says_less_than_any_work)
{
    /* __do_softirq is nearer to the leaf, but only a way to something. */
    CHECK_TEXT(
        REASON_OF("kABC", "A=do_memory_op", "B=do_softirq", "C=__do_softirq"),
        "hypercall_memory_op");
    CHECK_TEXT(REASON_OF("kAB", "A=process_softirqs", "B=create_bounce_frame"),
               "pv_event");
    CHECK_TEXT(REASON_OF("1AB", "A=switch_to_kernel", "B=create_bounce_frame"),
               "pv_syscall");
}

TEST(what_xen_does_on_the_way_is_a_part)
{
    CHECK_TEXT(REASON_OF("kABC", "A=svm_vmexit_handler", "B=svm_get_insn_len",
                         "C=x86_decode_insn"),
               "exit decode");
    CHECK_TEXT(REASON_OF("kABC", "A=hvm_emulate_one_insn", "B=x86_emulate",
                         "C=guest_walk_tables_4_levels"),
               "exit_emulate walk");
    /* Of which reason it is, the entry may say. */
    CHECK_TEXT(REASON_OF("A", "A=svm_get_insn_len"), "none decode");
}

TEST(the_outermost_part_counts)
{
    CHECK_TEXT(REASON_OF("kABC", "A=svm_vmexit_handler", "B=svm_get_insn_len",
                         "C=guest_walk_tables_4_levels"),
               "exit decode");
}

TEST(work_of_its_own_is_no_part)
{
    CHECK_TEXT(REASON_OF("kABC", "A=svm_vmexit_handler", "B=svm_get_insn_len",
                         "C=do_IRQ"),
               "interrupt");
}

TEST(who_called_may_matter)
{
    CHECK_TEXT(REASON_OF("kAB", "A=svm_vmexit_handler", "B=do_sched_op"),
               "exit_pause");
    CHECK_TEXT(REASON_OF("kABC", "A=svm_vmexit_handler", "B=hvm_hypercall",
                         "C=do_sched_op"),
               "hypercall_sched_op");
}

TEST(a_system_call_is_known_by_the_mode_of_the_guest)
{
    CHECK_TEXT(REASON_OF("kA", "A=lstar_enter"), "hypercall");
    CHECK_TEXT(REASON_OF("1A", "A=lstar_enter"), "pv_syscall");
    CHECK_TEXT(reason_of("A", (const char *const[]){"A=lstar_enter", NULL},
                         XENOPROF_ENDED_MOVED),
               "entered");
}

TEST(files_and_what_compilers_add_are_left_out)
{
    CHECK_TEXT(REASON_OF("A", "A=common/sched/core.c#schedule"), "scheduler");
    CHECK_TEXT(REASON_OF("A", "A=arch/x86/mm.c#do_mmu_update.cold"),
               "hypercall_mmu_update");
    CHECK_TEXT(REASON_OF("A", "A=do_mmu_update.isra.0"),
               "hypercall_mmu_update");
}

TEST(names_that_only_look_alike_say_nothing)
{
    CHECK_TEXT(REASON_OF("A", "A=do_mmu"), "none");
    CHECK_TEXT(REASON_OF("A", "A=do_mmu_update_now"), "none");
    CHECK_TEXT(REASON_OF("A", "A=."), "none");
    CHECK_TEXT(REASON_OF("A?", "A=xen"), "none");
}

/* A guest names its functions as it likes. */
TEST(what_a_guest_calls_itself_counts_for_nothing)
{
    CHECK_TEXT(REASON_OF("ka", "k=do_iret", "a=schedule"), "none");
    CHECK_TEXT(REASON_OF("kaA", "k=do_iret", "a=schedule", "A=lstar_enter"),
               "hypercall");
    CHECK_TEXT(REASON_OF("12", "1=do_iret", "2=[xenoprof]"), "none");
}

/* The module and stubs are known by address, which a guest cannot have. */
/* X has no name. */
static const char *reason_of_area(const char *chain, uint64_t address)
{
    struct report_kit kit;
    struct loaded_place *place;
    struct chain_reason *reasons;
    const char *name;
    uint32_t key, value;
    struct attribute *attribute;
    struct cell *cell;

    kit_begin(&kit);
    CHECK(names_add(&kit.loaded.names, "module_text", &key));
    CHECK(names_add(&kit.loaded.names, "ffff82d040800000+1000", &value));
    attribute = vector_add(&kit.loaded.attributes);
    CHECK(attribute);
    *attribute = (struct attribute){.key = key, .value = value};
    cell = kit_samples(&kit, KIT_WEB, chain, 1);
    call_it(&kit, 'A', "process_softirqs");
    place = table_find(&kit.loaded.places, &(uint64_t){'X'});
    CHECK(place);
    place->name.symbol = 0;
    place->name.address = address;
    kit_build(&kit);
    reasons = reasons_find(&kit.loaded, &kit.stacks);
    CHECK(reasons);
    name = reason_text((enum xen_reason)reasons[cell->chain].reason)->name;
    free(reasons);
    kit_end(&kit);
    return name;
}

TEST(code_without_a_symbol_may_be_known_by_where_it_is)
{
    CHECK_TEXT(reason_of_area("AX", 0xffff82d040800010), "profiler");
    CHECK_TEXT(reason_of_area("1X", 0xffff82d07fffe000), "pv_syscall");
    CHECK_TEXT(reason_of_area("kX", 0xffff82d07fffe000), "hypercall");
    /* Where Xen's emulator puts instructions; not where a call came in. */
    CHECK_TEXT(reason_of_area("kAX", 0xffff82d07fffe000), "softirq");
}

TEST(reasons_have_words)
{
    for ( unsigned int i = 0; i < REASONS; i++ )
    {
        const struct reason_text *text = reason_text((enum xen_reason)i);

        CHECK(text->name && text->words && *text->words);
        CHECK(!text->advice || *text->advice);
        for ( unsigned int k = 0; k < i; k++ )
            CHECK(strcmp(reason_text((enum xen_reason)k)->words, text->words));
    }
}

static const char *reason_of_msr(uint64_t detail, uint8_t flags)
{
    const struct xenoprof_entry entry = {.kind = XENOPROF_ENTRY_SVM,
                                         .code = 0x7c,
                                         .detail = detail,
                                         .flags = flags};

    return reason_text(reason_of_entry(&entry))->words;
}

/* Of one guest's details a file has only so many. */
TEST(a_register_without_its_detail_is_neither_read_nor_written)
{
    CHECK_TEXT(reason_of_msr(0xc0000080, 0), "exit: RDMSR");
    CHECK_TEXT(reason_of_msr(0xc0000080 | XENOPROF_ENTRY_WRITE, 0),
               "exit: WRMSR");
    CHECK(strcmp(reason_of_msr(0, XENOPROF_ENTRY_BARE), "exit: RDMSR"));
}
