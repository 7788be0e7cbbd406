/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols and code of a hypervisor, from text and from a file. */
#include "module/xen-image.h"
#include "tests/harness.h"

#include <errno.h>
#include <string.h>

static const uint8_t text[64];
static const struct xen_range range = {0xffff82d040200000, text, sizeof(text)};

static int open_text(struct xen_image *image, const char *symbols)
{
    return xen_image_open_text(image, &range, symbols, strlen(symbols));
}

static const char lines[] = "ffff82d040200020 t common/b.c#twice\n"
                            "ffff82d040200000 T first\n"
                            "ffff82d040200010 t common/a.c#twice\n"
                            "ffff82d040200010 t common/a.c#alias\n"
                            "ffff82d040200030 t common/a.c#once\n"
                            "ffff82d040500000 b common/a.c#data";

TEST(symbols_by_name)
{
    struct xen_image image;

    CHECK_EQ(open_text(&image, lines), 0);
    CHECK_EQ(image.symbol_count, 6);
    CHECK_EQ(xen_image_find(&image, "first")->address, 0xffff82d040200000);
    CHECK_EQ(xen_image_find(&image, "once")->address, 0xffff82d040200030);
    CHECK_EQ(xen_image_find(&image, "common/b.c#twice")->address,
             0xffff82d040200020);
    CHECK(!xen_image_find(&image, "twice"));
    CHECK(!xen_image_find(&image, "common/b.c#once"));
    CHECK(!xen_image_find(&image, "nowhere"));
    CHECK_EQ(xen_image_find(&image, "data")->type, 'b');
    xen_image_close(&image);
}

TEST(symbols_by_address)
{
    struct xen_image image;

    CHECK_EQ(open_text(&image, lines), 0);
    CHECK(!xen_image_at(&image, 0xffff82d0401fffff));
    CHECK_TEXT(xen_image_at(&image, 0xffff82d04020000f)->name, "first");
    CHECK_TEXT(xen_image_at(&image, 0xffff82d040200011)->name,
               "common/a.c#twice");
    CHECK_TEXT(xen_image_at(&image, UINT64_MAX)->name, "common/a.c#data");
    xen_image_close(&image);
}

TEST(where_a_function_ends)
{
    struct xen_image image;

    CHECK_EQ(open_text(&image, lines), 0);
    CHECK_EQ(xen_image_end(&image, xen_image_find(&image, "alias")),
             0xffff82d040200020);
    CHECK_EQ(xen_image_end(&image, xen_image_find(&image, "common/a.c#twice")),
             0xffff82d040200020);
    CHECK_EQ(xen_image_end(&image, xen_image_find(&image, "once")),
             0xffff82d040200040);
    xen_image_close(&image);
}

TEST(code_by_address)
{
    struct xen_image image;
    size_t size;

    CHECK_EQ(open_text(&image, lines), 0);
    CHECK(xen_image_code(&image, 0xffff82d040200000, &size) == text);
    CHECK_EQ(size, sizeof(text));
    CHECK(xen_image_code(&image, 0xffff82d04020003f, &size) == text + 63);
    CHECK_EQ(size, 1);
    CHECK(!xen_image_code(&image, 0xffff82d040200040, &size));
    CHECK(!xen_image_code(&image, 0xffff82d0401fffff, &size));
    CHECK(!xen_image_code(&image, 0, &size));
    xen_image_close(&image);
}

TEST(text_that_is_not_symbols)
{
    struct xen_image image;

    CHECK_EQ(open_text(&image, ""), -EINVAL);
    CHECK_EQ(open_text(&image, "\n\n"), -EINVAL);
    CHECK_EQ(open_text(&image, "ffff82d040200000"), -EINVAL);
    CHECK_EQ(open_text(&image, "ffff82d040200000 t"), -EINVAL);
    CHECK_EQ(open_text(&image, "ffff82d040200000 t "), -EINVAL);
    CHECK_EQ(open_text(&image, "ffff82d040200000 text name"), -EINVAL);
    CHECK_EQ(open_text(&image, "x t name"), -EINVAL);
    CHECK_EQ(open_text(&image, "ffff82d0402000000 t name"), -EINVAL);
}

TEST(symbols_that_are_not_ended)
{
    struct xen_image image;

    CHECK_EQ(xen_image_open_text(&image, &range, lines, 60), 0);
    CHECK_EQ(image.symbol_count, 2);
    xen_image_close(&image);
}

TEST(files_that_are_not_hypervisors)
{
    struct xen_image image;

    CHECK_EQ(xen_image_open_elf(&image, "/no/such/file"), -ENOENT);
    CHECK_EQ(xen_image_open_elf(&image, "/dev/null"), -ENOEXEC);
    CHECK_EQ(xen_image_open_elf(&image, "/proc/self/maps"), -ENOEXEC);
}

/* A static function whose name and file only this program has. */
static int __attribute__((noinline)) a_static_function(int a, int b)
{
    return a * 17 + b;
}

TEST(this_program_as_an_image)
{
    int (*volatile function)(int, int) = a_static_function;
    const struct xen_symbol *symbol;
    struct xen_image image;
    const uint8_t *code;
    size_t size;

    CHECK_EQ(function(1, 2), 19);
    CHECK_EQ(xen_image_open_elf(&image, "/proc/self/exe"), 0);
    symbol = xen_image_find(&image, "a_static_function");
    CHECK(symbol);
    CHECK(strstr(symbol->name, "test-xen-image.c#a_static_function"));
    CHECK_EQ(symbol->type, 't');
    code = xen_image_code(&image, symbol->address, &size);
    CHECK(code);
    CHECK(size >= 8 && !memcmp(code, (const void *)function, 8));
    CHECK(xen_image_find(&image, "main"));
    CHECK_EQ(xen_image_find(&image, "main")->type, 'T');
    xen_image_close(&image);
}
