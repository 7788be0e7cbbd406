/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of the module object of this build, for a made-up hypervisor. */
#include "hypervisor/xen-stack/unwind-check.h"
#include "module/unwind/own-text.h"
#include "module/unwind/unwind-table.h"
#include "tests/harness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OBJECT  "xenoprof-module.o"
#define ADDRESS 0xffff82d040200000ull

/* panic() does not return, printk() and the thunks do. */
static const uint8_t text[] = {
    0xeb, 0xfe, [16] = 0xc3, [32] = 0xff, 0xe0, [48] = 0xc3};
static const char symbols[] = "ffff82d040200000 T panic\n"
                              "ffff82d040200010 T printk\n"
                              "ffff82d040200020 T __x86_indirect_thunk_rax\n";

static void open_image(struct xen_image *image, const char *more)
{
    struct xen_range range = {
        .address = ADDRESS, .bytes = text, .size = sizeof(text)};
    char all[512];

    strcpy(stpcpy(all, symbols), more);
    CHECK_EQ(xen_image_open_text(image, &range, all, strlen(all)), 0);
}

static uint64_t own_symbol(const struct own_text *object, const char *name)
{
    for ( size_t i = 0; i < object->symbol_count; i++ )
        if ( !strcmp(object->symbols[i].name, name) )
            return object->symbols[i].address;
    test_fail(__FILE__, __LINE__, "the object has no %s; run `make %s`", name,
              OBJECT);
}

TEST(our_text_begins_where_the_module_says)
{
    struct xen_image image;
    struct own_text object;

    open_image(&image, "");
    CHECK_EQ(own_text_open(&object, OBJECT, &image), 0);
    CHECK_EQ(own_symbol(&object, "module_text_start"), OWN_TEXT_ADDRESS);
    CHECK_EQ(object.text.address, OWN_TEXT_ADDRESS);
    CHECK_EQ(object.text.base, XENOPROF_UNWIND_MODULE);
    CHECK(object.text.size > 10000);
    own_text_close(&object);
    xen_image_close(&image);
}

/*
 * Checks that each instruction of ours has its row, with either return thunk.
 */
static void check_rows(const char *more)
{
    struct xen_image image;
    struct xenoprof_unwind *bytes;
    struct unwind_report report;
    struct unwind_table table;
    struct own_text object;
    const struct xenoprof_unwind_state *state;
    uint64_t at;

    open_image(&image, more);
    if ( unwind_generate(&image, OBJECT, &bytes, &report) )
        test_fail(__FILE__, __LINE__, "%s; the largest gap is %s", report.error,
                  report.gaps[0].name);
    CHECK_EQ(bytes->regions, 2);
    CHECK_EQ(report.unknown, 0);
    CHECK(report.instructions > 3000);
    CHECK(unwind_check(bytes, bytes->size, 0x1000, &table));
    CHECK_EQ(own_text_open(&object, OBJECT, &image), 0);
    at = own_symbol(&object, "xen_stack_walk") - OWN_TEXT_ADDRESS + 0x1000;
    state = unwind_find(&table, at);
    CHECK(state);
    CHECK_EQ(state->kind, XENOPROF_UNWIND_RSP);
    CHECK_EQ(state->cfa, 8);
    CHECK(!unwind_find(&table, 0x0fff));
    own_text_close(&object);
    free(bytes);
    xen_image_close(&image);
}

TEST(our_text_is_in_the_table)
{
    check_rows("ffff82d040200030 T __x86_return_thunk\n");
}

TEST(where_xen_has_no_return_thunk)
{
    check_rows("");
}

TEST(files_that_are_not_objects)
{
    struct xen_image image;
    struct xenoprof_unwind *bytes;
    struct unwind_report report;

    open_image(&image, "");
    CHECK_EQ(unwind_generate(&image, "/proc/self/exe", &bytes, &report),
             -ENOEXEC);
    CHECK(!bytes && *report.error);
    CHECK_EQ(unwind_generate(&image, "/nowhere", &bytes, &report), -ENOENT);
    CHECK_EQ(unwind_generate(&image, "/proc/self/status", &bytes, &report),
             -ENOEXEC);
    xen_image_close(&image);
}
