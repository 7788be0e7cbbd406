/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/why/findings.h"
#include "tests/unit/report/model/report-kit.h"

static void name(struct report_kit *kit, char letter, const char *symbol)
{
    struct loaded_place *place = table_find(&kit->loaded.places,
                                            &(uint64_t){(uint8_t)letter});

    CHECK(place);
    CHECK(names_add(&kit->loaded.names, symbol, &place->name.symbol));
}

/* s spins, t takes, E is an emulated instruction, C a system call. */
static void begin(struct report_kit *kit)
{
    kit_begin(kit);
    for ( uint32_t i = KIT_WEB; i <= KIT_DB; i++ )
        ((struct loaded_domain *)table_at(&kit->loaded.domains, i))
            ->key.number = i;
    kit_samples(kit, KIT_WEB, "kpE", 30);
    kit_samples(kit, KIT_WEB, "kqEB", 20);
    kit_samples(kit, KIT_WEB, "kqC", 40);
    kit_samples(kit, KIT_DB, "kptsA", 60);
    kit_samples(kit, KIT_DB, "kqts", 20);
    kit_samples(kit, KIT_DB, "kq", 500);
    name(kit, 's', "__pv_queued_spin_lock_slowpath.part.0");
    name(kit, 't', "_raw_spin_lock_irqsave");
    name(kit, 'E', "pv_emulate_privileged_op");
    name(kit, 'C', "do_iret");
}

static char caller(const struct report_kit *kit,
                   const struct why_finding *finding)
{
    return finding->caller == FRAME_NONE
               ? '-'
               : kit_letter(kit, stacks_frame(&kit->stacks, finding->caller));
}

static void build(struct report_kit *kit, struct findings *findings)
{
    kit_build(kit);
    findings_build(findings, &kit->loaded, &kit->stacks);
}

static void end(struct report_kit *kit, struct findings *findings)
{
    findings_free(findings);
    kit_end(kit);
}

TEST(locks_and_what_xen_does_for_guests_are_found)
{
    struct report_kit kit;
    struct findings findings;

    begin(&kit);
    build(&kit, &findings);
    CHECK_EQ(findings.count, 2);
    CHECK_EQ(findings.found[0]->key.domain, KIT_DB);
    CHECK_EQ(findings.found[0]->key.reason, REASON_none);
    CHECK_EQ(findings.found[0]->amount.samples, 80);
    CHECK_EQ(findings.found[1]->key.domain, KIT_WEB);
    CHECK_EQ(findings.found[1]->key.reason, REASON_pv_privileged);
    CHECK_EQ(findings.found[1]->amount.samples, 50);
    end(&kit, &findings);
}

TEST(the_function_that_it_is_for_is_the_guests_and_not_the_locks)
{
    struct report_kit kit;
    struct findings findings;

    begin(&kit);
    build(&kit, &findings);
    CHECK_EQ(caller(&kit, findings.found[0]), 'p');
    CHECK_EQ(caller(&kit, findings.found[1]), 'p');
    end(&kit, &findings);
}

TEST(one_thing_of_those_that_a_guest_has_xen_do_is_enough)
{
    struct report_kit kit;
    struct findings findings;

    begin(&kit);
    kit_samples(&kit, KIT_WEB, "kpC", 20);
    name(&kit, 'C', "do_iret");
    build(&kit, &findings);
    CHECK_EQ(findings.count, 2);
    CHECK_EQ(findings.found[1]->key.reason, REASON_hypercall_iret);
    CHECK_EQ(findings.found[1]->amount.samples, 60);
    CHECK_EQ(caller(&kit, findings.found[1]), 'q');
    end(&kit, &findings);
}

TEST(what_is_small_or_dom0s_is_no_finding)
{
    struct report_kit kit;
    struct findings findings;

    begin(&kit);
    ((struct loaded_domain *)table_at(&kit.loaded.domains, KIT_WEB))
        ->key.number = 0;
    kit_samples(&kit, KIT_DB, "kq", 5000);
    build(&kit, &findings);
    CHECK_EQ(findings.count, 0);
    end(&kit, &findings);
}

TEST(a_function_of_xen_with_such_a_name_takes_no_lock)
{
    struct report_kit kit;
    struct findings findings;

    kit_begin(&kit);
    kit_samples(&kit, KIT_DB, "kS", 100);
    name(&kit, 'S', "queued_write_lock_slowpath");
    build(&kit, &findings);
    CHECK_EQ(findings.count, 0);
    end(&kit, &findings);
}

/* Work that came while a vCPU spun is not spinning, whatever it is. */
TEST(an_interrupt_while_it_spins_is_no_spinning)
{
    struct report_kit kit;
    struct findings findings;

    kit_begin(&kit);
    kit_samples(&kit, KIT_DB, "ptsihn", 90);
    kit_samples(&kit, KIT_DB, "ihpts", 10);
    name(&kit, 's', "native_queued_spin_lock_slowpath");
    name(&kit, 't', "_raw_spin_lock");
    name(&kit, 'i', "asm_sysvec_xen_hvm_callback");
    build(&kit, &findings);
    CHECK_EQ(findings.count, 1);
    CHECK_EQ(findings.found[0]->amount.samples, 10);
    CHECK_EQ(caller(&kit, findings.found[0]), 'p');
    end(&kit, &findings);
}
