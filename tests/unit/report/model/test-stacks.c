/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report-kit.h"

/* The chain of a cell as a text, root first. */
static const char *chain_text(const struct report_kit *kit,
                              const struct cell *cell)
{
    static char text[64];
    const struct chain *chain = stacks_chain(&kit->stacks, cell->chain);
    const uint32_t *frames = chain_frames(&kit->stacks, chain);

    CHECK(chain->count < sizeof(text));
    for ( uint32_t i = 0; i < chain->count; i++ )
        text[i] = kit_letter(kit, stacks_frame(&kit->stacks, frames[i]));
    text[chain->count] = '\0';
    return text;
}

static const struct cell *cell_at(const struct report_kit *kit, size_t index)
{
    return table_at(&kit->loaded.cells, index);
}

TEST(stacks_turn_round_and_keep_modes)
{
    struct report_kit kit;
    const uint32_t *frames;

    kit_begin(&kit);
    kit_samples(&kit, KIT_WEB, "12abXY", 1);
    kit_build(&kit);
    CHECK_TEXT(chain_text(&kit, cell_at(&kit, 0)), "12abXY");
    frames = chain_frames(&kit.stacks,
                          stacks_chain(&kit.stacks, cell_at(&kit, 0)->chain));
    CHECK_EQ(stacks_frame(&kit.stacks, frames[1])->key.mode,
             XENOPROF_MODE_USER);
    CHECK_EQ(stacks_frame(&kit.stacks, frames[2])->key.mode,
             XENOPROF_MODE_KERNEL);
    CHECK_EQ(stacks_frame(&kit.stacks, frames[5])->key.mode, XENOPROF_MODE_XEN);
    kit_end(&kit);
}

TEST(stacks_of_the_same_names_are_one_chain)
{
    struct report_kit kit;
    uint64_t other = 'b' + 1000u;
    struct loaded_place *place;

    kit_begin(&kit);
    kit_samples(&kit, KIT_WEB, "ab", 1);
    place = table_put(&kit.loaded.places, &other);
    CHECK(place);
    place->mode = XENOPROF_MODE_KERNEL;
    place->name.address = 0x1000u * 'b' + 8;
    CHECK(names_add(&kit.loaded.names, "b", &place->name.symbol));
    kit_samples(&kit, KIT_DB, "aa", 1);
    /* Another address of b, in another domain. */
    kit.loaded.frames.items[kit.loaded.frames.count - 2] = (uint32_t)other;
    ((struct cell *)table_at(&kit.loaded.cells, 1))->key.place = (uint32_t)
        other;
    kit_build(&kit);
    CHECK_TEXT(chain_text(&kit, cell_at(&kit, 1)), "ab");
    CHECK_EQ(cell_at(&kit, 0)->chain, cell_at(&kit, 1)->chain);
    CHECK_EQ(kit.stacks.frames.count, 2);
    CHECK_EQ(kit.stacks.numbers.count, 2);
    kit_end(&kit);
}

TEST(stacks_that_end_early_say_so_at_their_root)
{
    struct report_kit kit;
    struct cell *cell;

    kit_begin(&kit);
    cell = kit_samples(&kit, KIT_WEB, "ab", 1);
    cell->key.ended = XENOPROF_ENDED_WINDOW;
    cell = kit_samples(&kit, KIT_WEB, "XY", 1);
    cell->key.ended = XENOPROF_ENDED_MOVED;
    cell = kit_samples(&kit, KIT_WEB, "XX", 1);
    cell->key.ended = XENOPROF_ENDED_GUEST;
    cell = kit_samples(&kit, KIT_WEB, "aa", 1);
    cell->key.ended = XENOPROF_ENDED_GUEST;
    kit_build(&kit);
    CHECK_TEXT(chain_text(&kit, cell_at(&kit, 0)), "|ab");
    CHECK_TEXT(chain_text(&kit, cell_at(&kit, 1)), ">XY");
    CHECK_TEXT(chain_text(&kit, cell_at(&kit, 2)), "<XX");
    CHECK_TEXT(chain_text(&kit, cell_at(&kit, 3)), "|aa");
    kit_end(&kit);
}

/* Marks are about chains: in a session without chains each sample would have
 * them. */
TEST(stacks_are_not_marked_where_there_are_none)
{
    struct report_kit kit;

    kit_begin(&kit);
    kit_cell(&kit,
             (struct cell_key){.domain = KIT_WEB,
                               .place = kit_place(&kit, 'a'),
                               .mode = XENOPROF_MODE_KERNEL,
                               .ended = XENOPROF_ENDED_MOVED},
             1);
    kit_build(&kit);
    CHECK_TEXT(chain_text(&kit, cell_at(&kit, 0)), "a");
    kit_end(&kit);
}

TEST(stacks_without_places)
{
    struct report_kit kit;

    kit_begin(&kit);
    kit_cell(&kit,
             (struct cell_key){.domain = KIT_WEB, .mode = XENOPROF_MODE_XEN},
             1);
    kit_cell(&kit,
             (struct cell_key){.domain = DOMAIN_INDEX_OTHER,
                               .place = kit_place(&kit, 'X')},
             1);
    kit_samples(&kit, KIT_WEB, "1-?", 1);
    kit_build(&kit);
    CHECK_TEXT(chain_text(&kit, cell_at(&kit, 0)), "-");
    CHECK_TEXT(chain_text(&kit, cell_at(&kit, 1)), "");
    CHECK_EQ(cell_at(&kit, 1)->chain, CHAIN_EMPTY);
    CHECK_TEXT(chain_text(&kit, cell_at(&kit, 2)), "1-?");
    kit_end(&kit);
}

/* A stack whose leaf is not the sample's place has that on top; an equal
 * place with another number is the leaf. */
TEST(stacks_end_in_the_samples_place)
{
    uint64_t again = 'b' + 1000u;
    struct report_kit kit;
    struct loaded_place *place;
    struct cell *cell;

    kit_begin(&kit);
    cell = kit_samples(&kit, KIT_WEB, "ab", 1);
    cell->key.place = kit_place(&kit, 'c');
    kit_place(&kit, 'b');
    place = table_put(&kit.loaded.places, &again);
    CHECK(place);
    place->mode = XENOPROF_MODE_KERNEL;
    place->name.address = 0x1000u * 'b';
    cell = kit_samples(&kit, KIT_WEB, "ab", 1);
    cell->key.place = (uint32_t)again;
    kit_build(&kit);
    CHECK_TEXT(chain_text(&kit, cell_at(&kit, 0)), "abc");
    CHECK_TEXT(chain_text(&kit, cell_at(&kit, 1)), "ab");
    kit_end(&kit);
}

/* A session's samples may name stacks that were in a damaged block. */
TEST(stacks_that_are_not_there_are_their_leaf)
{
    struct report_kit kit;

    kit_begin(&kit);
    kit_samples(&kit, KIT_WEB, "ab", 1);
    kit_cell(&kit,
             (struct cell_key){.domain = KIT_WEB,
                               .place = kit_place(&kit, 'a'),
                               .stack = 999,
                               .mode = XENOPROF_MODE_KERNEL},
             1);
    kit_build(&kit);
    CHECK_TEXT(chain_text(&kit, cell_at(&kit, 1)), "a");
    kit_end(&kit);
}
