/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/cells/leaf-thunks.h"
#include "tests/unit/report/model/report-kit.h"

/* Builds stacks of samples of one chain; T and t are thunks, of Xen and of a
 * kernel, whose names came when samples had been counted. */
static struct cell *build(struct report_kit *kit, const char *chain)
{
    struct cell *cell;

    kit_begin(kit);
    cell = kit_samples(kit, KIT_WEB, chain, 1);
    if ( strchr(chain, 'T') )
        kit_name(kit, 'T', "__x86_return_thunk");
    if ( strchr(chain, 't') )
        kit_name(kit, 't', "__x86_indirect_thunk_rax");
    kit_build(kit);
    return cell;
}

/* The letters of the chain that is left; _ is a thunk. */
static const char *left_of(const char *chain)
{
    static char letters[16];
    struct report_kit kit;
    const struct cell *cell = build(&kit, chain);
    const struct chain *left = stacks_chain(&kit.stacks, cell->chain);
    const uint32_t *frames = chain_frames(&kit.stacks, left);

    CHECK(left->count < sizeof(letters));
    for ( uint32_t i = 0; i < left->count; i++ )
        letters[i] = kit_letter(&kit, stacks_frame(&kit.stacks, frames[i]));
    letters[left->count] = '\0';
    kit_end(&kit);
    return letters;
}

TEST(a_leaf_has_its_own_time)
{
    CHECK_TEXT(left_of("abc"), "abc");
    CHECK_TEXT(left_of("aB?"), "aB?");
}

TEST(a_thunk_is_its_callers)
{
    CHECK_TEXT(left_of("kABT"), "kAB");
    CHECK_TEXT(left_of("abt"), "ab");
    CHECK_TEXT(left_of("ABTT"), "AB");
}

TEST(a_thunk_that_called_is_in_the_middle_of_its_stack)
{
    CHECK_TEXT(left_of("ATB"), "A_B");
}

TEST(a_thunk_without_a_caller_is_what_it_is)
{
    CHECK_TEXT(left_of("T"), "_");
    CHECK_TEXT(left_of("-T"), "-_");
    CHECK_TEXT(left_of("kT"), "k_"); /* who was interrupted did not call it */
}

TEST(a_cells_place_is_its_stacks_leaf)
{
    struct report_kit kit;
    const struct cell *cell = build(&kit, "ABT");

    CHECK_EQ(cell->key.place, 'B');
    kit_end(&kit);
}

TEST(a_name_that_came_late_is_noted_once)
{
    struct late_thunks late = {.items = NULL};
    struct loaded_place place = {.key = {7}};

    thunk_note(&late, &place, NULL, false);
    CHECK(!place.thunk);
    thunk_note(&late, &place, "srso_return_thunk", true);
    CHECK(place.thunk);
    CHECK_EQ(late.count, 1);
    /* It is read again. */
    place = (struct loaded_place){.key = {7}};
    thunk_note(&late, &place, NULL, false);
    CHECK(place.thunk);
    thunk_note(&late, &place, "srso_return_thunk", true);
    CHECK_EQ(late.count, 1);
    place = (struct loaded_place){.key = {8}};
    thunk_note(&late, &place, "srso_return_thunk", false);
    CHECK(place.thunk);
    CHECK_EQ(late.count, 1);
    /* A file says what it likes. */
    for ( place.key.number = 10; place.key.number < 2000; place.key.number++ )
        thunk_note(&late, &place, "srso_return_thunk", true);
    CHECK_EQ(late.count, 256);
    vector_free(&late);
}
