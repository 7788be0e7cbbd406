/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of source files, and of files that are not source. */
#include <stdio.h>

#include "report/code/source-text.h"
#include "tests/harness.h"
#include "tests/unit/report/code/code-kit.h"

TEST(lines_of_a_source)
{
    struct source_text source = {.path = NULL};
    char path[2 * PATH_MAX];

    code_kit_begin();
    snprintf(path, sizeof(path), "%s/a.c", kit.root);
    write_text("/a.c", "one\n\nthree");
    CHECK_TEXT(source_line(&source, path, 1), "one");
    CHECK_TEXT(source_line(&source, path, 2), "");
    CHECK_TEXT(source_line(&source, path, 3), "three");
    CHECK(!source_line(&source, path, 4));
    CHECK(!source_line(&source, path, 0));
    CHECK(!source_line(&source, path, INT_MIN));
    CHECK(!source_line(&source, "/dev/zero", 1));
    CHECK(!source_line(&source, kit.root, 1));
    CHECK_TEXT(source_line(&source, path, 1), "one");
    source_free(&source);
    code_kit_end();
}
