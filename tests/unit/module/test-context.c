/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module/context.h"
#include "tests/harness.h"

static struct failure failure;

TEST(object_that_the_options_name)
{
    struct module_context context = {.object = "/tmp/mine.o"};
    char path[1024];

    CHECK(!setenv("XENOPROF_OBJECTS", "/objects", 1));
    context_object(&context, "module", path, sizeof(path));
    CHECK_TEXT(path, "/tmp/mine.o");
    context_object(&context, "probe", path, sizeof(path));
    CHECK_TEXT(path, "/objects/xenoprof-probe.o");
    context.object = NULL;
    context_object(&context, "module", path, sizeof(path));
    CHECK_TEXT(path, "/objects/xenoprof-module.o");
    CHECK(!unsetenv("XENOPROF_OBJECTS"));
    context_object(&context, "module", path, sizeof(path));
    CHECK_TEXT(path, PAYLOADDIR "/xenoprof-module.o");
}

TEST(verbose_lines_go_where_they_are_wanted)
{
    struct module_context context = {.failure = &failure};
    char *text = NULL;
    size_t size;

    context_say(&context, "%d\n", 1);
    context.verbose = open_memstream(&text, &size);
    context_say(&context, "%d\n", 2);
    CHECK(!fclose(context.verbose));
    CHECK_TEXT(text, "2\n");
    free(text);
}

/* A payload on top of others cannot carry Xen's own build-id: Xen would take
 * it for another of that name. */
TEST(payload_on_top_has_an_identity_of_its_own)
{
    struct module_context context = {
        .failure = &failure, .id = {.size = 3, .bytes = {0x00, 0xff, 0x5a}}};
    struct assemble_order order = {.object = "/nonexistent",
                                   .output = "/nonexistent"};

    CHECK_EQ(context_assemble(&context, &order, false), STATUS_NO_FACTS);
    CHECK(strstr(failure.text, "/nonexistent"));
    CHECK(!memcmp(order.own.bytes, "\x00\xff\x5a", 3));
    CHECK_EQ(context_assemble(&context, &order, true), STATUS_NO_FACTS);
    CHECK_EQ(order.own.size, 3);
    CHECK(!memcmp(order.own.bytes, "\xff\x00\xa5", 3));
    CHECK(!memcmp(order.depends.bytes, "\x00\xff\x5a", 3));
}
