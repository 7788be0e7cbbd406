/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "hypervisor/xen-stack/unwind-check.h"
#include "tests/unit/hypervisor/stack-kit.h"
#include "tests/harness.h"

#define FUNCTIONS 64u

static struct unwind_table checked;

static bool check(const struct kit_table *table)
{
    return unwind_check(table->head, table->head->size, 0, &checked);
}

/* The usual table with one thing changed must be refused. */
#define REFUSED(change)                                                        \
    do                                                                         \
    {                                                                          \
        struct kit_table table = kit_table_make(FUNCTIONS);                    \
        struct xenoprof_unwind *head = table.head;                             \
        uint64_t size = head->size;                                            \
        CHECK(check(&table));                                                  \
        change;                                                                \
        CHECK(!unwind_check(head, size, 0, &checked));                         \
        free(head);                                                            \
    } while ( 0 )

TEST(each_address_has_its_state)
{
    struct kit_table table = kit_table_make(FUNCTIONS);

    CHECK(check(&table));
    for ( uint64_t at = 0; at < FUNCTIONS * KIT_FUNCTION; at++ )
        CHECK_EQ(unwind_find(&checked, KIT_TEXT + at) - table.states,
                 at / KIT_FUNCTION % KIT_FUNCTIONS);
    free(table.head);
}

TEST(nothing_outside_the_text)
{
    struct kit_table table = kit_table_make(FUNCTIONS);

    CHECK(check(&table));
    CHECK(!unwind_find(&checked, KIT_TEXT - 1));
    CHECK(!unwind_find(&checked, KIT_TEXT + FUNCTIONS * KIT_FUNCTION));
    CHECK(!unwind_find(&checked, 0));
    CHECK(!unwind_find(&checked, ~0ul));
    free(table.head);
}

/* The same rows for Xen's text and our own, which is loaded anywhere. */
TEST(two_regions)
{
    struct kit_table one = kit_table_make(FUNCTIONS);
    unsigned int more = sizeof(*one.regions);
    struct kit_table two;
    struct xenoprof_unwind head = *one.head;
    unsigned char *bytes = calloc(1, head.size + more);

    CHECK(bytes);
    head.regions = 2;
    head.states_at += more;
    head.first_row_at += more;
    head.rows_at += more;
    head.size += more;
    memcpy(bytes + sizeof(head) + more, one.head + 1,
           one.head->size - sizeof(head));
    memcpy(bytes, &head, sizeof(head));
    two = kit_table_at(bytes);
    two.regions[0] = two.regions[1];
    two.regions[1].start = 0x100;
    two.regions[1].base = XENOPROF_UNWIND_MODULE;
    CHECK(unwind_check(bytes, head.size, 0xffff82d0bf000000, &checked));
    CHECK_EQ(unwind_find(&checked, 0xffff82d0bf000100) - two.states, 0);
    CHECK_EQ(unwind_find(&checked, kit_in(KIT_REGS)) - two.states, KIT_REGS);
    CHECK(!unwind_find(&checked, 0xffff82d0bf0000ff));
    /* The two texts may touch, but one must not lie in the other. */
    CHECK(unwind_check(bytes, head.size,
                       KIT_TEXT + FUNCTIONS * KIT_FUNCTION - 0x100, &checked));
    CHECK(!unwind_check(bytes, head.size,
                        KIT_TEXT + FUNCTIONS * KIT_FUNCTION - 0x101, &checked));
    CHECK(!unwind_check(bytes, head.size, KIT_TEXT, &checked));
    two.regions[1].base = 2;
    CHECK(!unwind_check(bytes, head.size, 0xffff82d0bf000000, &checked));
    free(bytes);
    free(one.head);
}

TEST(head_that_is_wrong)
{
    REFUSED(head->magic++);
    REFUSED(head->version++);
    REFUSED(head->size++);
    REFUSED(head->size = 0);
    REFUSED(head->size = sizeof(*head));
    REFUSED(size = sizeof(*head) - 1);
    REFUSED(head->regions = 0);
    REFUSED(head->regions = XENOPROF_UNWIND_REGIONS + 1);
    REFUSED(head->regions = ~0u);
    REFUSED(head->states = 0);
    REFUSED(head->states = XENOPROF_UNWIND_STATES + 1);
    REFUSED(head->rows = 0);
    REFUSED(head->rows += 1);
    REFUSED(head->rows = ~0u);
}

TEST(parts_that_are_elsewhere)
{
    REFUSED(head->regions_at -= 8);
    REFUSED(head->regions_at += 4);
    REFUSED(head->regions_at += 8);
    REFUSED(head->regions_at = head->size);
    REFUSED(head->states_at -= 8);
    REFUSED(head->states_at += 8);
    REFUSED(head->states_at = ~7u);
    REFUSED(head->first_row_at -= 8);
    REFUSED(head->first_row_at = head->size + 8);
    REFUSED(head->rows_at += 8);
    REFUSED(head->rows_at = head->first_row_at);
    REFUSED(head->rows_at = ~7u);
}

TEST(region_that_is_wrong)
{
    REFUSED(table.regions->length = 0);
    REFUSED(table.regions->length += XENOPROF_UNWIND_BLOCK * 2);
    REFUSED(table.regions->length = ~0u);
    REFUSED(table.regions->first = 2);
    REFUSED(table.regions->first = ~0u);
    REFUSED(table.regions->base = 7);
    REFUSED(table.regions->start = -100ul);
}

TEST(block_that_is_wrong)
{
    REFUSED(table.first_rows[0] = 1);
    REFUSED(table.first_rows[1] = 0);
    REFUSED(table.first_rows[1]++);
    REFUSED(table.first_rows[2] = ~0u);
    REFUSED(table.first_rows[3] = head->rows);
    REFUSED(table.rows[0].at = 1);
    REFUSED(table.rows[2].at = table.rows[1].at);
    REFUSED(table.rows[head->rows - 1].state = KIT_FUNCTIONS);
    REFUSED(table.rows[1].state = 255);
}

TEST(state_that_is_wrong)
{
    REFUSED(table.states[3].kind = XENOPROF_UNWIND_KINDS);
    REFUSED(table.states[3].kind = 255);
    REFUSED(table.states[KIT_FUNCTIONS - 1].rbp_saved = XENOPROF_UNWIND_RBPS);
    REFUSED(table.states[1].cfa = 12);
    REFUSED(table.states[1].rbp = -1);
}
