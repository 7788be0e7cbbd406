/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an address is called: text of three origins, ELF, and text that lies. */
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libxenoprof.h"
#include "tests/harness.h"

static struct xenoprof_handle *handle;
static struct xenoprof_symbols *symbols;

static enum xenoprof_status load(const char *text)
{
    if ( !handle )
        handle = xenoprof_open();
    xenoprof_symbols_close(symbols);
    symbols = NULL;
    return xenoprof_symbols_text(handle, text, strlen(text), &symbols);
}

/* The name of address, "-" for none. */
static const char *name(uint64_t address)
{
    struct xenoprof_symbol symbol;

    return xenoprof_symbols_find(symbols, address, &symbol) ? symbol.name : "-";
}

TEST(names_reach_up_to_the_next_symbol)
{
    struct xenoprof_symbol symbol;

    CHECK_EQ(load("ffffffff81000100 t second\n"
                  "ffffffff81000000 T first\n"
                  "ffffffff81000200 D data\n"),
             XENOPROF_OK);
    CHECK_EQ(xenoprof_symbols_count(symbols), 3);
    CHECK_TEXT(name(0xffffffff80ffffff), "-");
    CHECK_TEXT(name(0xffffffff81000000), "first");
    CHECK_TEXT(name(0xffffffff810000ff), "first");
    CHECK_TEXT(name(0xffffffff81000100), "second");
    CHECK_TEXT(name(0xffffffff810001ff), "second");
    CHECK_TEXT(name(0xffffffff81000200), "-");
    CHECK(xenoprof_symbols_find(symbols, 0xffffffff81000042, &symbol));
    CHECK_EQ(symbol.start, 0xffffffff81000000);
    CHECK_EQ(symbol.size, 0x100);
    CHECK(!symbol.module);
}

TEST(lines_of_xen_and_of_modules)
{
    struct xenoprof_symbol symbol;

    CHECK_EQ(load("ffff82d040200000 T _start\n"
                  "ffff82d040201000 t common/timer.c#execute_timer\n"
                  "ffffffffc0000000 t helper\t[xen_netback]\n"
                  "ffffffffc0000010 t other\t[zram]\n"),
             XENOPROF_OK);
    CHECK_TEXT(name(0xffff82d040201008), "common/timer.c#execute_timer");
    CHECK(xenoprof_symbols_find(symbols, 0xffffffffc0000001, &symbol));
    CHECK_TEXT(symbol.module, "xen_netback");
    CHECK(xenoprof_symbols_find(symbols, 0xffffffffc0000011, &symbol));
    CHECK_TEXT(symbol.module, "zram");
}

TEST(addresses_may_say_that_they_are_hexadecimal)
{
    CHECK_EQ(load("0xffff82d040200000 T start\n0x1000 t low\n"), XENOPROF_OK);
    CHECK_TEXT(name(0xffff82d040200000), "start");
    CHECK_TEXT(name(0x1000), "low");
}

TEST(of_several_names_the_global_then_the_nicer_one_is_shown)
{
    /* In every order of lines. */
    CHECK_EQ(load("1000 T __a\n1000 T a\n1000 t local\n1000 W w\n2000 T z\n"),
             XENOPROF_OK);
    CHECK_TEXT(name(0x1000), "a");
    CHECK_EQ(load("1000 W w\n1000 t local\n1000 T a\n1000 T __a\n2000 T z\n"),
             XENOPROF_OK);
    CHECK_TEXT(name(0x1fff), "a");
    CHECK_EQ(load("1000 T bb\n1000 T a\n1000 T b\n2000 T z\n"), XENOPROF_OK);
    CHECK_TEXT(name(0x1000), "a");
    CHECK_EQ(load("1000 T _stextentry\n1000 t local\n2000 T z\n"), XENOPROF_OK);
    CHECK_TEXT(name(0x1000), "local");
    CHECK_EQ(load("1000 T _stext\n2000 T z\n"), XENOPROF_OK);
    CHECK_TEXT(name(0x1000), "_stext");
    CHECK_EQ(load("1000 D data\n1000 t code\n2000 T z\n"), XENOPROF_OK);
    CHECK_TEXT(name(0x1000), "code");
}

TEST(gaps_and_what_is_behind_the_last_symbol_have_no_name)
{
    CHECK_EQ(load("ffffffff81000000 T text\nffffffffc0000000 t module\t[m]\n"),
             XENOPROF_OK);
    CHECK_TEXT(name(0xffffffff81000800), "text");
    CHECK_TEXT(name(0xffffffff81002000), "-");
    CHECK_TEXT(name(0xffffffffc0000fff), "module");
    CHECK_TEXT(name(0xffffffffc0001000), "-");
    CHECK_TEXT(name(~0ull), "-");
    CHECK_EQ(load("1000 T f\n2000 T _etext\n3000 D d\n"), XENOPROF_OK);
    CHECK_TEXT(name(0x1fff), "f");
    CHECK_TEXT(name(0x2000), "-");
}

TEST(a_large_function_is_named_as_a_whole)
{
    CHECK_EQ(load("1000 T x86_emulate\n21000 T next\n"), XENOPROF_OK);
    CHECK_TEXT(name(0x20fff), "x86_emulate");
}

TEST(symbols_are_found_by_name)
{
    struct xenoprof_symbol symbol;

    /* As an unprivileged reader gets /proc/kallsyms. */
    CHECK_EQ(load("0000000000000000 T _text\n0000000000000000 T f\n"
                  "0000000000000000 D jiffies\n"),
             XENOPROF_OK);
    CHECK(xenoprof_symbols_lookup(symbols, "_text", &symbol));
    CHECK_EQ(symbol.start, 0);
    CHECK(xenoprof_symbols_lookup(symbols, "jiffies", &symbol));
    CHECK(!xenoprof_symbols_lookup(symbols, "nothing", &symbol));
}

TEST(absolute_symbols_are_no_addresses)
{
    CHECK_EQ(load("0000000000000000 A fixed_percpu_data\n"
                  "0000000000001000 A cpu_debug_store\n"
                  "ffffffff81000000 T _text\n"),
             XENOPROF_OK);
    CHECK_EQ(xenoprof_symbols_count(symbols), 1);
    CHECK_TEXT(name(0x10), "-");
}

TEST(odd_lines_are_passed_over)
{
    CHECK_EQ(load("1000 T a\r\n\n  \n1001 T\n12345678901234567 T b\n"
                  "2000 T  b  \n3000 t c\nffff"),
             XENOPROF_OK);
    CHECK_EQ(xenoprof_symbols_count(symbols), 3);
    CHECK_TEXT(name(0x1500), "a");
    CHECK_TEXT(name(0x2000), "b");
}

TEST(text_that_is_no_symbols_is_refused)
{
    CHECK_EQ(load(""), XENOPROF_INVALID);
    CHECK_EQ(load("\n\n"), XENOPROF_INVALID);
    CHECK_EQ(load("#!/bin/sh\necho hello\nexit 0\n1000 T lucky\n"),
             XENOPROF_INVALID);
    CHECK(*xenoprof_message(handle));
    /* What Debian's kernel packages have in place of a System.map. */
    CHECK_EQ(load("ffffffffffffffff B The real System.map is elsewhere\n"),
             XENOPROF_INVALID);
    CHECK_EQ(load("g000 T a\n"), XENOPROF_INVALID);
    CHECK_EQ(load("0x T a\n"), XENOPROF_INVALID);
    CHECK_EQ(load("1000 9 a\n"), XENOPROF_INVALID);
    CHECK_EQ(load("1000 TT a\n"), XENOPROF_INVALID);
}

TEST(own_kernel_has_symbols)
{
    if ( !handle )
        handle = xenoprof_open();
    xenoprof_symbols_close(symbols);
    symbols = NULL;
    if ( access("/proc/kallsyms", R_OK) )
        test_skip("/proc/kallsyms is not there");
    CHECK_EQ(xenoprof_symbols_file(handle, "/proc/kallsyms", &symbols),
             XENOPROF_OK);
    CHECK(xenoprof_symbols_count(symbols) > 1000);
}

/* Functions of this very program, whose addresses gcc and bfd agree on. */
__attribute__((noinline, used)) static int test_symbols_landmark(int value)
{
    return value * 3 + 1;
}

/* The first object is the program itself. */
static int take_bias(struct dl_phdr_info *info, size_t size, void *ret)
{
    (void)size;
    *(uint64_t *)ret = info->dlpi_addr;
    return 1;
}

static uint64_t load_bias(void)
{
    uint64_t bias = 0;

    dl_iterate_phdr(take_bias, &bias);
    return bias;
}

TEST(an_elf_file_has_symbols)
{
    struct xenoprof_symbol symbol;
    uint64_t address = (uintptr_t)test_symbols_landmark - load_bias();

    if ( !handle )
        handle = xenoprof_open();
    xenoprof_symbols_close(symbols);
    symbols = NULL;
    CHECK_EQ(xenoprof_symbols_file(handle, "/proc/self/exe", &symbols),
             XENOPROF_OK);
    CHECK(xenoprof_symbols_lookup(symbols, "test_symbols_landmark", &symbol));
    CHECK_EQ(symbol.start, address);
    CHECK_TEXT(name(address + 1), "test_symbols_landmark");
    CHECK_TEXT(name(1), "-");
}

TEST(a_file_that_cannot_be_read_is_said)
{
    if ( !handle )
        handle = xenoprof_open();
    xenoprof_symbols_close(symbols);
    symbols = NULL;
    CHECK_EQ(xenoprof_symbols_file(handle, "/nowhere/at/all", &symbols),
             XENOPROF_SYSTEM);
    CHECK(strstr(xenoprof_message(handle), "/nowhere/at/all"));
    CHECK_EQ(xenoprof_symbols_file(handle, "/dev/null", &symbols),
             XENOPROF_INVALID);
    CHECK(strstr(xenoprof_message(handle), "/dev/null"));
}
