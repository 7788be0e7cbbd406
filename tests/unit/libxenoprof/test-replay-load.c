/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folders that are not, or not all of, a recording. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay-kit.h"

TEST(a_folder_without_rings_is_refused)
{
    struct replay_kit kit;

    replay_kit_begin(&kit);
    replay_kit_refused(&kit, "no saved rings");
    replay_kit_end(&kit);
    replay_kit_begin(&kit);
    /* Numbers that no ring has, or not so spelled. */
    replay_kit_text(&kit, "ring-8191.text", REPLAY_KIT_PCPU);
    replay_kit_text(&kit, "ring-07.text", REPLAY_KIT_PCPU);
    replay_kit_text(&kit, "ring- 7.text", REPLAY_KIT_PCPU);
    replay_kit_text(&kit, "ring-7.text~", REPLAY_KIT_PCPU);
    replay_kit_text(&kit, "ring--1.page", REPLAY_KIT_PCPU);
    replay_kit_refused(&kit, "no saved rings");
    replay_kit_end(&kit);
}

TEST(a_folder_that_is_not_there_is_refused)
{
    struct replay_kit kit;

    replay_kit_begin(&kit);
    CHECK(!rmdir(kit.folder));
    replay_kit_refused(&kit, kit.folder);
    CHECK(!mkdir(kit.folder, 0700));
    replay_kit_end(&kit);
}

TEST(a_ring_that_cannot_be_opened_is_refused)
{
    struct replay_kit kit;

    replay_kit_begin(&kit);
    CHECK(!symlink("nothing", replay_kit_path(&kit, "ring-3.text")));
    replay_kit_refused(&kit, "ring-3.text");
    CHECK(!unlink(replay_kit_path(&kit, "ring-3.text")));
    CHECK(!mkdir(replay_kit_path(&kit, "ring-3.page"), 0700));
    replay_kit_refused(&kit, "ring-3.page: not a saved ring");
    replay_kit_end(&kit);
}

TEST(pages_of_another_length_are_refused)
{
    static uint8_t page[2 * XENOPROF_PAGE_SIZE];
    struct xenoprof_ring_page *ring = (void *)page;
    struct replay_kit kit;

    replay_kit_begin(&kit);
    replay_kit_put(&kit, "ring-0.page", page, 100);
    replay_kit_refused(&kit, "ring-0.page: has 100 bytes, must have 4096");
    ring->data_pages = 2;
    replay_kit_put(&kit, "ring-0.page", page, XENOPROF_PAGE_SIZE);
    replay_kit_refused(&kit, "ring-0.data");
    replay_kit_put(&kit, "ring-0.data", page, XENOPROF_PAGE_SIZE);
    replay_kit_refused(&kit, "ring-0.data");
    replay_kit_put(&kit, "ring-0.data", page, sizeof(page) - 1);
    replay_kit_refused(&kit, "ring-0.data");
    /* As long as it says, but not a ring. */
    replay_kit_put(&kit, "ring-0.data", page, sizeof(page));
    replay_kit_refused(&kit, "ring 0's page is not valid");
    replay_kit_put(&kit, "index.pages", page, sizeof(page));
    replay_kit_refused(&kit, "index.pages");
    replay_kit_end(&kit);
}
