/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols from text of three origins, and from text that lies. */
#include <string.h>
#include <unistd.h>

#include "symbols-kit.h"

TEST(lines_of_xen_and_of_modules)
{
    struct xenoprof_symbol symbol;

    CHECK_EQ(
        symbols_kit_text("ffff82d040200000 T _start\n"
                         "ffff82d040201000 t common/timer.c#execute_timer\n"
                         "ffffffffc0000000 t helper\t[xen_netback]\n"
                         "ffffffffc0000010 t other\t[zram]\n"),
        XENOPROF_OK);
    CHECK_TEXT(symbols_kit_name(0xffff82d040201008),
               "common/timer.c#execute_timer");
    CHECK(xenoprof_symbols_find(symbols_kit.symbols, 0xffffffffc0000001,
                                &symbol));
    CHECK_TEXT(symbol.module, "xen_netback");
    CHECK(xenoprof_symbols_find(symbols_kit.symbols, 0xffffffffc0000011,
                                &symbol));
    CHECK_TEXT(symbol.module, "zram");
}

TEST(addresses_may_say_that_they_are_hexadecimal)
{
    CHECK_EQ(symbols_kit_text("0xffff82d040200000 T start\n0x1000 t low\n"),
             XENOPROF_OK);
    CHECK_TEXT(symbols_kit_name(0xffff82d040200000), "start");
    CHECK_TEXT(symbols_kit_name(0x1000), "low");
}

TEST(absolute_symbols_are_no_addresses)
{
    CHECK_EQ(symbols_kit_text("0000000000000000 A fixed_percpu_data\n"
                              "0000000000001000 A cpu_debug_store\n"
                              "ffffffff81000000 T _text\n"),
             XENOPROF_OK);
    CHECK_EQ(xenoprof_symbols_count(symbols_kit.symbols), 1);
    CHECK_TEXT(symbols_kit_name(0x10), "-");
}

TEST(odd_lines_are_passed_over)
{
    CHECK_EQ(
        symbols_kit_text("1000 T a\r\n\n  \n1001 T\n12345678901234567 T b\n"
                         "2000 T  b  \n3000 t c\nffff"),
        XENOPROF_OK);
    CHECK_EQ(xenoprof_symbols_count(symbols_kit.symbols), 3);
    CHECK_TEXT(symbols_kit_name(0x1500), "a");
    CHECK_TEXT(symbols_kit_name(0x2000), "b");
}

TEST(text_that_is_no_symbols_is_refused)
{
    CHECK_EQ(symbols_kit_text(""), XENOPROF_INVALID);
    CHECK_EQ(symbols_kit_text("\n\n"), XENOPROF_INVALID);
    CHECK_EQ(symbols_kit_text("#!/bin/sh\necho hello\nexit 0\n1000 T lucky\n"),
             XENOPROF_INVALID);
    CHECK(*xenoprof_message(symbols_kit.handle));
    /* What Debian's kernel packages have in place of a System.map. */
    CHECK_EQ(symbols_kit_text(
                 "ffffffffffffffff B The real System.map is elsewhere\n"),
             XENOPROF_INVALID);
    CHECK_EQ(symbols_kit_text("g000 T a\n"), XENOPROF_INVALID);
    CHECK_EQ(symbols_kit_text("0x T a\n"), XENOPROF_INVALID);
    CHECK_EQ(symbols_kit_text("1000 9 a\n"), XENOPROF_INVALID);
    CHECK_EQ(symbols_kit_text("1000 TT a\n"), XENOPROF_INVALID);
}

TEST(own_kernel_has_symbols)
{
    if ( access("/proc/kallsyms", R_OK) )
        test_skip("/proc/kallsyms is not there");
    CHECK_EQ(symbols_kit_file("/proc/kallsyms"), XENOPROF_OK);
    CHECK(xenoprof_symbols_count(symbols_kit.symbols) > 1000);
}

TEST(a_file_that_cannot_be_read_is_said)
{
    CHECK_EQ(symbols_kit_file("/nowhere/at/all"), XENOPROF_SYSTEM);
    CHECK(strstr(xenoprof_message(symbols_kit.handle), "/nowhere/at/all"));
    CHECK_EQ(symbols_kit_file("/dev/null"), XENOPROF_INVALID);
    CHECK(strstr(xenoprof_message(symbols_kit.handle), "/dev/null"));
}
