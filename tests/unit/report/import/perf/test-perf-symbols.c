/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/import/perf/perf-symbols.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "report/import/perf/perf-elf.h"
#include "tests/harness.h"

int perf_symbols_known(int value);
int __perf_symbols_alias(int value)
    __attribute__((alias("perf_symbols_known")));
int perf_symbols_weak(int value)
    __attribute__((weak, alias("perf_symbols_known")));

__attribute__((noinline)) int perf_symbols_known(int value)
{
    return value * 3;
}

/* Where that is in our own file. */
static uint64_t own_address(void)
{
    extern const char __executable_start[];

    return (uint64_t)(uintptr_t)&perf_symbols_known -
           (uint64_t)(uintptr_t)__executable_start;
}

TEST(of_several_names_it_is_the_plainest)
{
    int fd = open("/proc/self/exe", O_RDONLY);
    struct perf_symbols *symbols = perf_symbols_read(fd);
    const struct perf_symbol *symbol;
    struct perf_elf elf;
    uint64_t address = own_address();

    CHECK(symbols);
    CHECK(perf_elf_read(fd, &elf));
    CHECK(elf.whole);
    /* A program that is not moved has its own addresses. */
    if ( elf.segments[0].address )
        address += elf.segments[0].address;
    symbol = perf_symbols_find(symbols, address);
    CHECK(symbol);
    CHECK_TEXT(symbol->name, "perf_symbols_known");
    CHECK(perf_symbols_find(symbols, symbol->end - 1) == symbol);
    CHECK(!perf_symbols_find(symbols, 1));
    perf_symbols_close(symbols);
    close(fd);
}

TEST(what_is_no_elf_file_has_none)
{
    int fd = open("/proc/self/cmdline", O_RDONLY);
    struct perf_elf elf;

    CHECK(!perf_symbols_read(fd));
    CHECK(!perf_elf_read(fd, &elf));
    close(fd);
    perf_symbols_close(NULL);
}
