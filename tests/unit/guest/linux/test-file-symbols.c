/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of text that name code, and lines that do not. */
#include <stdlib.h>
#include <string.h>

#include "guest/linux/file-symbols.h"
#include "tests/harness.h"

static struct file_symbols symbols;

static enum kernel_status gather(const char *text)
{
    size_t size = strlen(text);
    char *copy = malloc(size + 1);
    enum kernel_status status;

    /* Without its end, so that a byte behind it is seen. */
    CHECK(copy);
    memcpy(copy, text, size);
    copy = realloc(copy, size ? size : 1);
    memset(&symbols, 0, sizeof(symbols));
    linux_image_want_marks(symbols.marks);
    status = gather_text(&symbols, copy, size);
    free(copy);
    return status;
}

static const char *name_at(uint64_t address)
{
    uint64_t start, end;
    const char *name;

    symbol_list_sort(&symbols.list);
    name = symbol_list_at(&symbols.list, address, &start, &end);
    return name && start == address ? name : "none";
}

TEST(lines_of_code_are_taken)
{
    CHECK_EQ(gather("ffffffff81000000 T _stext\n"
                    "ffffffff81000010 t do_it\n"
                    "ffffffff81000020 W weak\n"
                    "ffffffff81000030 D data\n"
                    "ffffffff82000000 D linux_banner\n"
                    "10 w low"),
             KERNEL_OK);
    CHECK_EQ(symbols.list.count, 4);
    CHECK_TEXT(name_at(0xffffffff81000010), "do_it");
    CHECK_TEXT(name_at(0xffffffff81000030), "none");
    CHECK_TEXT(name_at(0x10), "low");
    symbol_list_free(&symbols.list);
    /* Data is taken if it says where something is. */
    CHECK(symbols.marks[MARK_STEXT].found && symbols.marks[MARK_BANNER].found);
    CHECK(symbols.marks[MARK_BANNER].offset == 0xffffffff82000000);
    CHECK(!symbols.marks[MARK_MODULES].found);
}

TEST(of_equal_marks_the_first_counts)
{
    CHECK_EQ(gather("1000 T _stext\n2000 T _stext\n3000 T _stextual\n"),
             KERNEL_OK);
    CHECK(symbols.marks[MARK_STEXT].offset == 0x1000);
    CHECK_EQ(symbols.list.count, 3);
    symbol_list_free(&symbols.list);
}

TEST(other_lines_are_left_out)
{
    static const char *const lines[] = {
        "",
        "\n\n",
        "T _text\n",
        "ffffffff81000000\n",
        "ffffffff81000000 T\n",
        "ffffffff81000000 T \n",
        "ffffffff81000000  T _text\n",
        "FFFFFFFF81000000 T _text\n",
        "0xffffffff81000000 T _text\n",
        "0ffffffff81000000 T _text\n", /* 17 digits */
        "0000000000000000 T _text\n",  /* as users who may not see them */
        "ffffffff81000000 T _text [module]\n",
        "ffffffff81000000 T _text\t[module]\n",
        "ffffffff81000000 T _te\001t\n",
        "ffffffff81000000 D _text\n",
    };

    for ( unsigned int i = 0; i < sizeof(lines) / sizeof(lines[0]); i++ )
    {
        if ( gather(lines[i]) != KERNEL_UNKNOWN )
            test_fail(__FILE__, __LINE__, "line %u is taken", i);
        CHECK_EQ(symbols.list.count, 0);
    }
}

TEST(a_name_has_a_longest_length)
{
    char line[KALLSYMS_NAME_MAX + 32];

    for ( unsigned int more = 0; more < 2; more++ )
    {
        size_t length = KALLSYMS_NAME_MAX - 1 + more;

        memcpy(line, "1000 T ", 7);
        memset(line + 7, 'x', length);
        line[7 + length] = '\0';
        CHECK_EQ(gather(line), more ? KERNEL_UNKNOWN : KERNEL_OK);
        symbol_list_free(&symbols.list);
    }
}
