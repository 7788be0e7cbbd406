/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/text/overview-lines.h"
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>

static const struct layout wide = {.width = 80};

/* A domain's line, of so many of 400 ns in each mode. */
static char *domain_line(const struct layout *layout, uint64_t xen,
                         uint64_t kernel, uint64_t user, const char *name)
{
    const uint64_t by_mode[XENOPROF_MODES] = {[XENOPROF_MODE_XEN] = xen,
                                              [XENOPROF_MODE_KERNEL] = kernel,
                                              [XENOPROF_MODE_USER] = user};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    CHECK(file);
    overview_domain(layout, xen + kernel + user, by_mode, 400, name, file);
    fclose(file);
    return text;
}

static void check(const struct layout *layout, uint64_t xen, uint64_t kernel,
                  uint64_t user, const char *name, const char *wanted)
{
    char *text = domain_line(layout, xen, kernel, user, name);

    CHECK_TEXT(text, wanted);
    free(text);
}

TEST(a_bar_has_all_pcpu_time)
{
    check(&wide, 100, 200, 100, "web",
          "100.00%  ##########====================----------  web\n");
    check(&wide, 0, 0, 0, "web",
          "  0.00%                                            web\n");
}

TEST(parts_of_a_bar_add_up)
{
    /* 1.4 columns each: 1, 3 and 4 of them in all. */
    check(&wide, 14, 14, 14, "web",
          " 10.50%  #==-                                      web\n");
}

TEST(a_bar_is_never_longer_than_the_whole)
{
    check(&wide, 400, 400, 400, "web",
          "300.00%  ########################################  web\n");
}

TEST(names_are_cut_and_clean)
{
    const struct layout narrow = {.width = 60};
    char *text = domain_line(&narrow, 0, 0, 0, "a-name-that-is-long\033[31m");

    CHECK_EQ(strlen(text), 61);
    CHECK(!strchr(text, '\033'));
    free(text);
}

/* The rows of one screen are shared out: all that there is room for are shown,
 * and none that there is not. */
static void check_rows(size_t room, const size_t there[3],
                       const size_t shown[3])
{
    struct screen_part parts[3] = {
        {.there = there[0], .least = 4, .weight = 2},
        {.there = there[1], .least = 2, .weight = 2},
        {.there = there[2], .least = 3, .weight = 3},
    };

    screen_rows_share(parts, 3, room);
    for ( size_t i = 0; i < 3; i++ )
        CHECK_EQ(parts[i].shown, shown[i]);
}

TEST(each_has_its_least_without_room)
{
    check_rows(0, (size_t[]){9, 9, 9}, (size_t[]){4, 2, 3});
    check_rows(5, (size_t[]){2, 0, 1}, (size_t[]){2, 0, 1});
}

TEST(what_is_left_is_shared_by_weight)
{
    check_rows(11, (size_t[]){90, 90, 90}, (size_t[]){4, 3, 4});
    check_rows(70, (size_t[]){90, 90, 90}, (size_t[]){20, 20, 30});
}

TEST(what_one_does_not_need_is_the_others)
{
    check_rows(39, (size_t[]){6, 40, 90}, (size_t[]){6, 13, 20});
    check_rows(39, (size_t[]){6, 1, 90}, (size_t[]){6, 1, 32});
}

TEST(room_beyond_all_rows_stays_free)
{
    check_rows(1000, (size_t[]){5, 6, 7}, (size_t[]){5, 6, 7});
}
