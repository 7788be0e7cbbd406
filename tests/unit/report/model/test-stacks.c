/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/model/frame-text.h"
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

/* Another address of b, in another domain: named before it is met, or after. */
static void same_names(bool late)
{
    struct report_kit kit;
    uint64_t other = 1000;
    struct loaded_place *place;
    struct loaded_call call = {.key = {.place = 1000, .called = 1}};
    struct cell_key key = {.domain = KIT_DB,
                           .place = 1000,
                           .called = 1,
                           .mode = XENOPROF_MODE_KERNEL};

    kit_begin(&kit);
    kit_samples(&kit, KIT_WEB, "ab", 1);
    place = table_put(&kit.loaded.places, &other);
    CHECK(place);
    place->mode = XENOPROF_MODE_KERNEL;
    place->name.address = 0x1000u * 'b' + 8;
    if ( !late )
        CHECK(names_add(&kit.loaded.names, "b", &place->name.symbol));
    call.key.nodes[0] = loaded_node(&kit.loaded, kit_node(&kit, "a", 1),
                                    loaded_spot(&kit.loaded, place, false));
    CHECK(names_add(&kit.loaded.names, "b", &place->name.symbol));
    CHECK_EQ(kit.loaded.nodes.count, late ? 3 : 2);
    key.call = loaded_call(&kit.loaded, &call);
    kit_cell(&kit, key, 1);
    kit_build(&kit);
    CHECK_TEXT(chain_text(&kit, cell_at(&kit, 1)), "ab");
    CHECK_EQ(cell_at(&kit, 0)->chain, cell_at(&kit, 1)->chain);
    CHECK_EQ(kit.stacks.frames.count, 2);
    CHECK_EQ(kit.stacks.chains.count, 3);
    kit_end(&kit);
}

TEST(stacks_of_the_same_names_are_one_chain)
{
    same_names(false);
    same_names(true);
}

/* One chain of Xen's stands on two of a kernel's, and alone. */
TEST(chains_stand_on_others)
{
    static const char *const wanted[] = {"1abXY", "1acXY", "XY", "1acX"};
    struct report_kit kit;
    struct loaded_call call = {.key = {.called = 1}};

    kit_begin(&kit);
    kit.loaded.stacked = true;
    for ( uint32_t i = 0; i < 4; i++ )
    {
        call.key.nodes[0] = kit_node(&kit, "XY", i == 3 ? 1 : 2);
        call.key.nodes[1] = i == 2 ? 0 : kit_node(&kit, i ? "ac" : "ab", 2);
        call.key.nodes[2] = i == 2 ? 0 : kit_node(&kit, "1", 1);
        kit_cell(&kit,
                 (struct cell_key){.domain = KIT_WEB,
                                   .place = kit_place(&kit, 'Y'),
                                   .call = loaded_call(&kit.loaded, &call)},
                 1);
    }
    kit_build(&kit);
    for ( uint32_t i = 0; i < 4; i++ )
        CHECK_TEXT(chain_text(&kit, cell_at(&kit, i)), wanted[i]);
    CHECK_EQ(kit.stacks.chains.count, 1 + 5 + 3 + 2);
    kit_end(&kit);
}

/* Far more than one of each few nodes that are noted. */
#define DEEP 11u

/* Leaves of any depth, above each other, on another chain are what they are in
 * one piece, in whichever order they come. */
TEST(deep_chains_stand_on_others)
{
    const char whole[] = "1abcdefghijk";
    struct report_kit kit;

    kit_begin(&kit);
    kit.loaded.stacked = true;
    for ( uint32_t i = 0; i < DEEP; i++ )
    {
        uint32_t depth = 1 + i * 5 % DEEP;
        struct loaded_call call = {.key = {.called = 1}};

        call.key.nodes[0] = kit_node(&kit, whole + 1, depth);
        call.key.nodes[1] = kit_node(&kit, whole, 1);
        kit_cell(&kit,
                 (struct cell_key){.domain = KIT_WEB,
                                   .place = kit_place(&kit, whole[depth]),
                                   .call = loaded_call(&kit.loaded, &call)},
                 1);
    }
    kit_build(&kit);
    for ( uint32_t i = 0; i < DEEP; i++ )
    {
        const char *text = chain_text(&kit, cell_at(&kit, i));
        size_t depth = 1 + i * 5 % DEEP;

        CHECK(!strncmp(text, whole, 1 + depth));
        CHECK_EQ(strlen(text), 1 + depth);
    }
    CHECK_EQ(kit.stacks.chains.count, 1 + 1 + DEEP);
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
                               .call = kit_call(&kit, "a"),
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
             (struct cell_key){.domain = KIT_WEB,
                               .call = kit_call(&kit, "-"),
                               .mode = XENOPROF_MODE_XEN},
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

/* Samples of a stack of a thread; NULL: it is not known. */
static void thread_samples(struct report_kit *kit, const char *comm,
                           const char *names)
{
    struct loaded_thread thread = {.key = {.pid = 0}};
    struct cell_key key = {.domain = KIT_WEB,
                           .call = kit_call(kit, names),
                           .mode = XENOPROF_MODE_USER};

    if ( comm )
    {
        snprintf(thread.key.comm, sizeof(thread.key.comm), "%s", comm);
        key.thread = (uint32_t)table_index(
                         &kit->loaded.threads,
                         table_put(&kit->loaded.threads, &thread.key)) +
                     1;
    }
    kit_cell(kit, key, 1);
}

/* What the leaf of a cell is called. */
static char *leaf_text(struct report_kit *kit, size_t cell)
{
    const struct chain *chain = stacks_chain(&kit->stacks,
                                             cell_at(kit, cell)->chain);
    struct frame_texts texts;
    char *text;

    frame_texts_init(&texts, &kit->loaded, &kit->stacks);
    text = frame_text(&texts, stacks_frame(&kit->stacks, chain->key.frame));
    frame_texts_free(&texts);
    return text;
}

TEST(user_code_without_a_name_is_its_threads)
{
    static const char *const wanted[] = {"[user of nginx]", "[user of nginx]",
                                         "[user of redis]", "[user]",
                                         "[user] [libc.so.6]"};
    struct cell_key of_image = {
        .domain = KIT_WEB, .thread = 1, .mode = XENOPROF_MODE_USER};
    struct loaded_call call = {.key = {.place = '*'}};
    struct loaded_place *place;
    struct report_kit kit;

    kit_begin(&kit);
    thread_samples(&kit, "nginx", "?");
    thread_samples(&kit, "nginx", "1?!");
    thread_samples(&kit, "redis", "1?!");
    thread_samples(&kit, NULL, "1?!");
    kit_place(&kit, '*');
    place = loaded_numbered(&kit.loaded.places, '*');
    place->name.symbol = 0;
    CHECK(names_add(&kit.loaded.names, "/lib/libc.so.6", &place->name.image));
    call.key.nodes[0] = loaded_node(&kit.loaded, 0,
                                    loaded_spot(&kit.loaded, place, false));
    of_image.call = loaded_call(&kit.loaded, &call);
    kit_cell(&kit, of_image, 1);
    kit_build(&kit);
    for ( size_t i = 0; i < 5; i++ )
    {
        char *text = leaf_text(&kit, i);

        CHECK_TEXT(text, wanted[i]);
        free(text);
    }
    /* What calls itself is one frame. */
    CHECK_TEXT(chain_text(&kit, cell_at(&kit, 2)), "1?");
    CHECK_EQ(kit.stacks.frames.count, 5);
    kit_end(&kit);
}

TEST(names_of_threads_are_as_many_as_is_good)
{
    struct report_kit kit;
    char comm[16];

    kit_begin(&kit);
    for ( unsigned int i = 0; i < COMMS_MOST + 5; i++ )
    {
        snprintf(comm, sizeof(comm), "t%u", i);
        thread_samples(&kit, comm, "?");
    }
    kit_build(&kit);
    CHECK_EQ(kit.stacks.frames.count, COMMS_MOST + 1);
    kit_end(&kit);
}

/* Cells of many vCPUs, told apart by who ran: what is alike is one chain. */
TEST(cells_of_one_stack_have_one_chain)
{
    static const uint16_t vcpus[] = {0, CELL_SEVERAL};
    struct report_kit kit;

    for ( size_t i = 0; i < 2; i++ )
    {
        struct cell_key key = {.mode = XENOPROF_MODE_KERNEL, .called = 1};

        kit_begin(&kit);
        key.vcpu = vcpus[i];
        key.call = kit_call(&kit, "1ab");
        key.place = kit_place(&kit, 'b');
        for ( unsigned int j = 0; j < 6; j++ )
        {
            key.domain = j % 2 ? KIT_WEB : KIT_DB;
            key.pcpu = (uint16_t)j;
            kit_cell(&kit, key, 1);
        }
        kit_build(&kit);
        for ( size_t j = 0; j < kit.loaded.cells.count; j++ )
        {
            CHECK_TEXT(chain_text(&kit, cell_at(&kit, j)), "1ab");
            CHECK_EQ(cell_at(&kit, j)->chain, cell_at(&kit, 0)->chain);
        }
        CHECK_EQ(kit.loaded.cells.count, 6);
        kit_end(&kit);
    }
}
