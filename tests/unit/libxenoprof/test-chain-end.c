/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a chain ended, through a stored sample's marks and back. */
#include <string.h>

#include "libxenoprof.h"
#include "tests/harness.h"

#define CAUSE_MASK                                                             \
    (((1u << XENOPROF_MARK_ENDED_BITS) - 1) << XENOPROF_MARK_ENDED_SHIFT)
#define BELOW (1u << XENOPROF_MARK_BELOW_SHIFT)
/* What the end of a chain may change. */
#define END_MARKS                                                              \
    (CAUSE_MASK | XENOPROF_MARK_TRUNCATED | XENOPROF_MARK_MOVED | BELOW)

static bool ends_early(enum xenoprof_ended ended, uint8_t mode)
{
    if ( ended == XENOPROF_ENDED_GUEST || ended == XENOPROF_ENDED_LEFT )
        return mode != XENOPROF_MODE_XEN;
    return ended != XENOPROF_ENDED_ROOT && ended != XENOPROF_ENDED_MOVED;
}

TEST(each_end_comes_back_and_no_other_mark_changes)
{
    for ( unsigned int i = 0; i < XENOPROF_ENDS; i++ )
        for ( uint8_t mode = 0; mode < XENOPROF_MODES; mode++ )
        {
            enum xenoprof_ended ended = (enum xenoprof_ended)i;
            struct xenoprof_stored sample = {.mode = mode, .marks = ~END_MARKS};

            xenoprof_stored_set_ended(&sample, XENOPROF_ENDED_RULE);
            xenoprof_stored_set_ended(&sample, ended);
            CHECK_EQ(xenoprof_stored_ended(&sample), ended);
            CHECK_EQ(!!(sample.marks & XENOPROF_MARK_TRUNCATED),
                     ends_early(ended, mode));
            CHECK_EQ(sample.marks & ~END_MARKS, ~END_MARKS);
            CHECK(!xenoprof_stored_below(&sample));
            xenoprof_stored_set_below(&sample);
            CHECK(xenoprof_stored_below(&sample));
            CHECK_EQ(xenoprof_stored_ended(&sample), ended);
        }
}

/* Marks that Xen alone set, as in a sample that was stored without a chain. */
TEST(marks_without_a_cause_say_what_they_can)
{
    struct xenoprof_stored sample = {.mode = XENOPROF_MODE_KERNEL};

    CHECK_EQ(xenoprof_stored_ended(&sample), XENOPROF_ENDED_ROOT);
    sample.marks = XENOPROF_MARK_MOVED;
    CHECK_EQ(xenoprof_stored_ended(&sample), XENOPROF_ENDED_MOVED);
    sample.marks |= XENOPROF_MARK_TRUNCATED;
    CHECK_EQ(xenoprof_stored_ended(&sample), XENOPROF_ENDED_UNTOLD);
    /* A cause says more than either. */
    sample.marks |= XENOPROF_ENDED_PAGE << XENOPROF_MARK_ENDED_SHIFT;
    CHECK_EQ(xenoprof_stored_ended(&sample), XENOPROF_ENDED_PAGE);
}

/* Sessions have these numbers: they stay. */
TEST(ends_have_the_numbers_of_the_manual)
{
    const struct xenoprof_stored page = {.marks = 0x1900};
    const struct xenoprof_stored spool = {.marks = 0x5900};
    const struct xenoprof_stored newer = {.marks = 0xf900};

    CHECK_EQ(xenoprof_stored_ended(&page), XENOPROF_ENDED_PAGE);
    CHECK_EQ(xenoprof_stored_ended(&spool), XENOPROF_ENDED_SPOOL);
    /* Of a version that knows more of them. */
    CHECK_EQ(xenoprof_stored_ended(&newer), XENOPROF_ENDED_UNTOLD);
}

TEST(each_end_has_a_name_of_its_own)
{
    for ( unsigned int i = 0; i < XENOPROF_ENDS; i++ )
    {
        const char *name = xenoprof_ended_name((enum xenoprof_ended)i);

        CHECK(name && *name);
        CHECK(xenoprof_ended_text((enum xenoprof_ended)i));
        for ( unsigned int j = 0; j < i; j++ )
            CHECK(strcmp(xenoprof_ended_name((enum xenoprof_ended)j), name));
    }
    CHECK(!xenoprof_ended_name(XENOPROF_ENDS));
    CHECK(!xenoprof_ended_text(XENOPROF_ENDS));
    CHECK(!xenoprof_ended_remedy(XENOPROF_ENDS, 1, 1));
}

TEST(what_a_user_can_help_has_a_remedy)
{
    const char *remedy = "start with a larger --spool";

    CHECK(!xenoprof_ended_remedy(XENOPROF_ENDED_ROOT, 9, 9));
    CHECK(!xenoprof_ended_remedy(XENOPROF_ENDED_PAGE, 9, 9));
    CHECK_TEXT(xenoprof_ended_remedy(XENOPROF_ENDED_SPOOL, 9, 900), remedy);
    CHECK(!xenoprof_ended_remedy(XENOPROF_ENDED_SPOOL, 8, 900));
    CHECK_TEXT(xenoprof_ended_remedy(XENOPROF_ENDED_SPOOL, 1, 1), remedy);
    CHECK(!xenoprof_ended_remedy(XENOPROF_ENDED_SPOOL, 0, 0));
}
