/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "guest/origin.h"
#include "tests/harness.h"

static struct origin_path path;
static char text[ORIGIN_PATH_MAX + 1];

static const char *end(void)
{
    memset(text, 'x', sizeof(text));
    origin_path_end(&path, text);
    CHECK(origin_path_is_sound(text));
    return text;
}

TEST(paths_of_names)
{
    origin_path_init(&path);
    CHECK_TEXT(end(), "/");
    origin_path_add(&path, "sleep", 5);
    origin_path_add(&path, "binary", 3);
    CHECK_TEXT(end(), "/bin/sleep");
}

TEST(names_that_are_not_fit_to_be_shown)
{
    origin_path_init(&path);
    origin_path_add(&path, "a\033[2J\0\xff/b c", 11);
    CHECK_TEXT(end(), "/a?[2J???b c");
}

TEST(paths_that_are_too_long)
{
    char name[200];

    memset(name, 'a', sizeof(name));
    origin_path_init(&path);
    origin_path_add(&path, "leaf", 4);
    origin_path_add(&path, name, sizeof(name));
    CHECK_EQ(strlen(end()), 206);
    origin_path_add(&path, name, sizeof(name));
    CHECK_EQ(strlen(end()), ORIGIN_PATH_MAX);
    CHECK(!strncmp(text, "...a", 4));
    CHECK_TEXT(text + ORIGIN_PATH_MAX - 5, "/leaf");
}

TEST(paths_that_another_process_made_up)
{
    CHECK(origin_path_is_sound(""));
    CHECK(origin_path_is_sound("/"));
    CHECK(origin_path_is_sound("...b/c"));
    CHECK(!origin_path_is_sound("b/c"));
    CHECK(!origin_path_is_sound("/b\n"));
    CHECK(!origin_path_is_sound("/b\x7f"));
    CHECK(!origin_path_is_sound("/\xc3\xa4"));
}
