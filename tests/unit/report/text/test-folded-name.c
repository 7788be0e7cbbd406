/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/text/folded-name.h"
#include "tests/harness.h"

#include <locale.h>
#include <stdlib.h>

static void check(const char *name, const char *wanted)
{
    char *text = folded_name(name, "_[k]");

    CHECK(text);
    CHECK_TEXT(text, wanted);
    free(text);
}

TEST(folded_names_keep_what_does_no_harm)
{
    check("", "_[k]");
    check("vfs_read", "vfs_read_[k]");
    check("operator new(unsigned long)", "operator new(unsigned long)_[k]");
    check("\xd7\xa9\xd7\x9c", "\xd7\xa9\xd7\x9c_[k]");
    check("\xf0\x9f\x90\xa7", "\xf0\x9f\x90\xa7_[k]");
}

TEST(folded_names_have_no_separators)
{
    check("a;b", "a:b_[k]");
    check("a\nb\r\tc", "a?b??c_[k]");
    check(";;\n", "::?_[k]");
}

TEST(folded_names_have_no_control_characters)
{
    check("\x1b[2J\x7f", "?[2J?_[k]");
    check("\xc2\x9b"
          "2J",
          "??2J_[k]"); /* C1 */
    check("a\xe2\x80\xae"
          "b",
          "a???b_[k]"); /* right to left override */
    check("\xef\xbb\xbf"
          "a",
          "???a_[k]");                     /* byte order mark */
    check("\xf3\xa0\x81\x81", "????_[k]"); /* a tag */
}

TEST(folded_names_are_utf8)
{
    check("\xff\xfe", "??_[k]");
    check("\xc3(", "?(_[k]");
    check("\xc0\xaf", "??_[k]");           /* '/' in two bytes */
    check("\xe0\x80\xaf", "???_[k]");      /* ... in three */
    check("\xed\xa0\x80", "???_[k]");      /* half of a pair */
    check("\xf4\x90\x80\x80", "????_[k]"); /* beyond the last */
    check("\xf0\x9f\x90", "???_[k]");      /* cut off */
    check("\xe2\x82", "??_[k]");
    check("a\x80", "a?_[k]");
}

TEST(folded_names_are_the_same_in_all_locales)
{
    setlocale(LC_ALL, "C");
    check("\xd7\xa9;\x01", "\xd7\xa9:?_[k]");
}
