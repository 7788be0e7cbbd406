/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an address is called, and where a name lies. */
#include "symbols-kit.h"

TEST(names_reach_up_to_the_next_symbol)
{
    struct xenoprof_symbol symbol;

    CHECK_EQ(symbols_kit_text("ffffffff81000100 t second\n"
                              "ffffffff81000000 T first\n"
                              "ffffffff81000200 D data\n"),
             XENOPROF_OK);
    CHECK_EQ(xenoprof_symbols_count(symbols_kit.symbols), 3);
    CHECK_TEXT(symbols_kit_name(0xffffffff80ffffff), "-");
    CHECK_TEXT(symbols_kit_name(0xffffffff81000000), "first");
    CHECK_TEXT(symbols_kit_name(0xffffffff810000ff), "first");
    CHECK_TEXT(symbols_kit_name(0xffffffff81000100), "second");
    CHECK_TEXT(symbols_kit_name(0xffffffff810001ff), "second");
    CHECK_TEXT(symbols_kit_name(0xffffffff81000200), "-");
    CHECK(xenoprof_symbols_find(symbols_kit.symbols, 0xffffffff81000042,
                                &symbol));
    CHECK_EQ(symbol.start, 0xffffffff81000000);
    CHECK_EQ(symbol.size, 0x100);
    CHECK(!symbol.module);
}

TEST(of_several_names_the_global_then_the_nicer_one_is_shown)
{
    /* In every order of lines. */
    CHECK_EQ(symbols_kit_text(
                 "1000 T __a\n1000 T a\n1000 t local\n1000 W w\n2000 T z\n"),
             XENOPROF_OK);
    CHECK_TEXT(symbols_kit_name(0x1000), "a");
    CHECK_EQ(symbols_kit_text(
                 "1000 W w\n1000 t local\n1000 T a\n1000 T __a\n2000 T z\n"),
             XENOPROF_OK);
    CHECK_TEXT(symbols_kit_name(0x1fff), "a");
    CHECK_EQ(symbols_kit_text("1000 T bb\n1000 T a\n1000 T b\n2000 T z\n"),
             XENOPROF_OK);
    CHECK_TEXT(symbols_kit_name(0x1000), "a");
    CHECK_EQ(symbols_kit_text("1000 T _stextentry\n1000 t local\n2000 T z\n"),
             XENOPROF_OK);
    CHECK_TEXT(symbols_kit_name(0x1000), "local");
    CHECK_EQ(symbols_kit_text("1000 T _stext\n2000 T z\n"), XENOPROF_OK);
    CHECK_TEXT(symbols_kit_name(0x1000), "_stext");
    CHECK_EQ(symbols_kit_text("1000 D data\n1000 t code\n2000 T z\n"),
             XENOPROF_OK);
    CHECK_TEXT(symbols_kit_name(0x1000), "code");
}

TEST(gaps_and_what_is_after_the_last_symbol_have_no_name)
{
    CHECK_EQ(symbols_kit_text(
                 "ffffffff81000000 T text\nffffffffc0000000 t module\t[m]\n"),
             XENOPROF_OK);
    CHECK_TEXT(symbols_kit_name(0xffffffff81000800), "text");
    CHECK_TEXT(symbols_kit_name(0xffffffff81002000), "-");
    CHECK_TEXT(symbols_kit_name(0xffffffffc0000fff), "module");
    CHECK_TEXT(symbols_kit_name(0xffffffffc0001000), "-");
    CHECK_TEXT(symbols_kit_name(~0ull), "-");
    CHECK_EQ(symbols_kit_text("1000 T f\n2000 T _etext\n3000 D d\n"),
             XENOPROF_OK);
    CHECK_TEXT(symbols_kit_name(0x1fff), "f");
    CHECK_TEXT(symbols_kit_name(0x2000), "-");
}

TEST(a_large_function_is_named_as_a_whole)
{
    CHECK_EQ(symbols_kit_text("1000 T x86_emulate\n21000 T next\n"),
             XENOPROF_OK);
    CHECK_TEXT(symbols_kit_name(0x20fff), "x86_emulate");
}

TEST(symbols_are_found_by_name)
{
    struct xenoprof_symbol symbol;

    /* As an unprivileged reader gets /proc/kallsyms. */
    CHECK_EQ(symbols_kit_text("0000000000000000 T _text\n0000000000000000 T f\n"
                              "0000000000000000 D jiffies\n"),
             XENOPROF_OK);
    CHECK(xenoprof_symbols_lookup(symbols_kit.symbols, "_text", &symbol));
    CHECK_EQ(symbol.start, 0);
    CHECK(xenoprof_symbols_lookup(symbols_kit.symbols, "jiffies", &symbol));
    CHECK(!xenoprof_symbols_lookup(symbols_kit.symbols, "nothing", &symbol));
}
