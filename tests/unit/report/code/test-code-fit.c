/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which symbol of a file a function is, and whether the file is what ran. */
#include "report/code/code-fit.h"
#include "tests/harness.h"
#include "tests/unit/report/code/code-kit.h"

static void add_symbol(struct code_symbols *symbols, const char *name,
                       uint64_t address)
{
    code_symbols_add(symbols,
                     &(struct code_symbol){.address = address, .name = name});
}

TEST(equal_names_are_told_apart_by_others)
{
    struct code_symbols symbols = {.count = 0};
    const struct code_symbol *found;

    code_kit_begin();
    add_symbol(&symbols, "twin", 0x1000);
    add_symbol(&symbols, "middle", 0x2000);
    add_symbol(&symbols, "twin", 0x3000);
    add_symbol(&symbols, "top", 0x4000);
    code_symbols_sort(&symbols);
    add_samples(XENOPROF_MODE_KERNEL, "kernel", "twin", KERNEL + 0x3000, 0);
    add_samples(XENOPROF_MODE_KERNEL, "kernel", "middle", KERNEL + 0x2000, 0);
    add_samples(XENOPROF_MODE_KERNEL, "module", "top", KERNEL, 0);
    CHECK_EQ(code_fit(&kit.loaded, function_of("twin"), &symbols, &found),
             FIT_FOUND);
    CHECK_EQ(found->address, 0x3000);
    CHECK_EQ(code_fit(&kit.loaded, function_of("module:top"), &symbols, &found),
             FIT_FOUND);
    code_symbols_free(&symbols);
    code_kit_end();
}

TEST(another_build_is_seen)
{
    struct code_symbols symbols = {.count = 0};
    const struct code_symbol *found;

    code_kit_begin();
    add_symbol(&symbols, "a", 0x1000);
    add_symbol(&symbols, "b", 0x2000);
    code_symbols_sort(&symbols);
    add_samples(XENOPROF_MODE_KERNEL, "kernel", "a", KERNEL + 0x1000, 0);
    add_samples(XENOPROF_MODE_KERNEL, "kernel", "b", KERNEL + 0x2010, 0);
    CHECK_EQ(code_fit(&kit.loaded, function_of("a"), &symbols, &found),
             FIT_ELSEWHERE);
    /* One alone may have been moved, but Xen is not. */
    add_samples(XENOPROF_MODE_KERNEL, "other", "b", KERNEL, 0);
    CHECK_EQ(code_fit(&kit.loaded, function_of("other:b"), &symbols, &found),
             FIT_FOUND);
    add_samples(XENOPROF_MODE_XEN, "xen", "b", ADDRESS, 0);
    CHECK_EQ(code_fit(&kit.loaded, function_of("xen:b"), &symbols, &found),
             FIT_ELSEWHERE);
    add_samples(XENOPROF_MODE_XEN, "xen", "c", ADDRESS, 0);
    CHECK_EQ(code_fit(&kit.loaded, function_of("xen:c"), &symbols, &found),
             FIT_NO_SYMBOL);
    code_symbols_free(&symbols);
    code_kit_end();
}
