/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/why/leaves.h"
#include "tests/unit/report/model/report-kit.h"

/* The letter of the frame that a chain's own time belongs to; T and t are
 * thunks, of Xen and of a kernel. */
static char worker_of(const char *chain)
{
    struct report_kit kit;
    const struct frame *frame;
    struct loaded_place *place;
    struct cell *cell;
    char letter;

    kit_begin(&kit);
    cell = kit_samples(&kit, KIT_WEB, chain, 1);
    for ( const char *name = "Tt"; *name; name++ )
    {
        place = table_find(&kit.loaded.places, &(uint64_t){(uint8_t)*name});
        CHECK(!place || names_add(&kit.loaded.names,
                                  *name == 'T' ? "__x86_return_thunk"
                                               : "__x86_indirect_thunk_rax",
                                  &place->name.symbol));
    }
    kit_build(&kit);
    frame = stacks_frame(&kit.stacks,
                         chain_worker(&kit.loaded, &kit.stacks,
                                      stacks_chain(&kit.stacks, cell->chain)));
    letter = kit_letter(&kit, frame);
    kit_end(&kit);
    return letter;
}

TEST(a_leaf_has_its_own_time)
{
    CHECK_EQ(worker_of("abc"), 'c');
    CHECK_EQ(worker_of("T?"), '?');
}

TEST(a_thunk_is_its_callers)
{
    CHECK_EQ(worker_of("kABT"), 'B');
    CHECK_EQ(worker_of("abt"), 'b');
    CHECK_EQ(worker_of("ABTT"), 'B');
}

TEST(a_thunk_without_a_caller_is_what_it_is)
{
    CHECK_EQ(worker_of("T"), '_');
    CHECK_EQ(worker_of("kT"),
             '_'); /* whoever was interrupted did not call it */
}
